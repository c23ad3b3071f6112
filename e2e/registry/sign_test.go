package registry

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

const password = "COSIGN_PASSWORD=quite secret"

// keyPair is a folder with cosign.key and cosign.pub.
func keyPair(t *testing.T) string {
	t.Helper()
	needCosign(t)
	folder := t.TempDir()
	_, err := cosign(t, []string{password}, "generate-key-pair", "--output-key-prefix", filepath.Join(folder, "cosign"))
	must(t, err)
	return folder
}

// shown are the commands of docs/image.md that begin with a word, of an image by its digest.
func shown(t *testing.T, program string) (commands []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "image.md"))
	must(t, err)
	for i, block := range strings.Split("\n"+string(text), "\n```") {
		for _, line := range strings.Split(block, "\n") {
			if i%2 == 1 && strings.HasPrefix(line, program+" ") {
				commands = append(commands, line)
			}
		}
	}
	return commands
}

// placed is a command of the document for an image of a test.
func placed(t *testing.T, command, image, publicKey string) []string {
	t.Helper()
	words := strings.Fields(command)[1:]
	for i, word := range words {
		switch {
		case strings.HasPrefix(word, "registry.example.com/steward@"):
			words[i] = image
		case word == "cosign.pub":
			words[i] = publicKey
		}
	}
	if !slices.Contains(words, image) || !slices.Contains(words, publicKey) {
		t.Fatalf("%q names no image or no key", command)
	}
	return words
}

// A signed image is accepted by the commands of docs/image.md with the key, and nothing else is.
func TestSign(t *testing.T) {
	keys, others := keyPair(t), keyPair(t)
	publicKey := filepath.Join(keys, "cosign.pub")
	repository := serve(t, nil, registry.WithReferrersSupport(true)) + "/some/steward"
	folder := made(t)
	must(t, publish(t, folder, repository, filepath.Join(keys, "cosign.key"), password))
	named := componentOf(t, folder)
	image := repository + "@" + named.digest
	checkIndex(t, image)

	commands := shown(t, "cosign")
	if len(commands) < 3 {
		t.Fatalf("docs/image.md shows hardly any command of cosign's: %q", commands)
	}
	changed := changedIndex(t, repository, named.digest)
	var verified, attested int
	for _, command := range commands {
		output, err := cosign(t, nil, placed(t, command, image, publicKey)...)
		if err != nil {
			t.Errorf("%q refuses what was signed: %v", command, err)
			continue
		}
		if strings.HasPrefix(command, "cosign verify-attestation ") {
			attested++
			checkEnvelope(t, command, output, repository, named.digest)
		} else {
			verified++
			if !strings.Contains(output, named.digest) {
				t.Errorf("%q says nothing of %s: %s", command, named.digest, output)
			}
		}
		// With the tag, as with the digest.
		if _, err := cosign(t, nil, placed(t, command, repository+":"+named.tag, publicKey)...); err != nil {
			t.Errorf("%q refuses the tag: %v", command, err)
		}
		if _, err := cosign(t, nil, placed(t, command, image, filepath.Join(others, "cosign.pub"))...); err == nil {
			t.Errorf("%q accepts another key", command)
		}
		for what, digest := range changed {
			if _, err := cosign(t, nil, placed(t, command, repository+"@"+digest, publicKey)...); err == nil {
				t.Errorf("%q accepts an index that was changed, %s", command, what)
			}
		}
	}
	if verified == 0 || attested < 2 {
		t.Errorf("the document shows %d commands for signatures, %d for attestations", verified, attested)
	}
}

// changedIndex pushes two indexes that differ from what was signed: one that nobody signed, and one that has been given the signatures and
// attestations of the other. Their digests.
func changedIndex(t *testing.T, repository, digest string) map[string]string {
	t.Helper()
	index, err := remote.Index(reference(t, repository+"@"+digest))
	must(t, err)
	push := func(note string) string {
		other := mutate.Annotations(index, map[string]string{"note": note}).(interface {
			remote.Taggable
		})
		text, err := other.RawManifest()
		must(t, err)
		must(t, remote.Put(reference(t, repository+":"+note), other))
		head, err := remote.Head(reference(t, repository+":"+note))
		must(t, err)
		if head.Digest.String() == digest || len(text) == 0 {
			t.Fatal("it was not changed")
		}
		return head.Digest.String()
	}
	changed := map[string]string{"without a signature": push("unsigned"), "with the other's signature": push("resigned")}
	tags, err := remote.List(reference(t, repository).Context())
	must(t, err)
	copied := 0
	for _, tag := range tags {
		suffix, found := strings.CutPrefix(tag, strings.Replace(digest, ":", "-", 1)+".")
		if !found {
			continue
		}
		copied++
		signature, err := remote.Image(reference(t, repository+":"+tag))
		must(t, err)
		resigned := strings.Replace(changed["with the other's signature"], ":", "-", 1)
		must(t, remote.Write(reference(t, repository+":"+resigned+"."+suffix), signature))
	}
	if copied != 2 {
		t.Errorf("cosign left %d of signatures and attestations: %v", copied, tags)
	}
	return changed
}

var typeOf = regexp.MustCompile(`--type (\S+)`)

// checkEnvelope: what cosign has verified is of the image.
func checkEnvelope(t *testing.T, command, output, repository, digest string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if len(lines) != 1 {
		t.Fatalf("%q shows %d attestations", command, len(lines))
	}
	var envelope struct{ PayloadType, Payload string }
	must(t, json.Unmarshal([]byte(lines[0]), &envelope))
	payload, err := base64.StdEncoding.DecodeString(envelope.Payload)
	must(t, err)
	switch kind := typeOf.FindStringSubmatch(command)[1]; kind {
	case "slsaprovenance1":
		checkStatement(t, payload, "https://in-toto.io/Statement/v0.1", repository, digest)
	case "spdxjson":
		var statement struct {
			Subject   []struct{ Digest map[string]string }
			Predicate struct{ Packages []struct{ Name string } }
		}
		must(t, json.Unmarshal(payload, &statement))
		if len(statement.Subject) != 1 || "sha256:"+statement.Subject[0].Digest["sha256"] != digest || len(statement.Predicate.Packages) < 10 {
			t.Errorf("the parts of %+v: %d", statement.Subject, len(statement.Predicate.Packages))
		}
	default:
		t.Errorf("what is an attestation of %s?", kind)
	}
}

// A second time there is no second attestation.
func TestSign_IsRepeated(t *testing.T) {
	keys := keyPair(t)
	repository := serve(t, nil) + "/steward"
	folder := made(t)
	for range 2 {
		must(t, publish(t, folder, repository, filepath.Join(keys, "cosign.key"), password))
	}
	named := componentOf(t, folder)
	for _, command := range shown(t, "cosign verify-attestation") {
		output, err := cosign(t, nil, placed(t, command, repository+"@"+named.digest, filepath.Join(keys, "cosign.pub"))...)
		must(t, err)
		checkEnvelope(t, command, output, repository, named.digest)
	}
}

// An image that cannot be signed is neither tagged nor named.
func TestSign_IsRefused(t *testing.T) {
	keys := keyPair(t)
	repository := serve(t, nil) + "/steward"
	folder := made(t)
	before := files(t, folder)
	refused(t, publish(t, folder, repository, filepath.Join(keys, "cosign.key"), "COSIGN_PASSWORD=wrong"), "was not signed", folder, before, repository)
	refused(t, publish(t, folder, repository, filepath.Join(keys, "cosign.pub"), password), "was not signed", folder, before, repository)
}
