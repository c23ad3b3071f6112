package registry

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

var image = regexp.MustCompile(`(?m)^ *(?:- )?image: (.*)$`)

// A push leaves the index that the archive has, whole, by its tag and by its digest, with its documents; and the manifests name it.
func TestPush(t *testing.T) {
	for _, registryOf := range []struct {
		name      string
		referrers bool
	}{{"that lists referrers", true}, {"that lists none", false}} {
		t.Run(registryOf.name, func(t *testing.T) {
			folder := made(t)
			archived := archivedIndex(t, folder)
			repository := serve(t, nil, registry.WithReferrersSupport(registryOf.referrers)) + "/some/steward"
			must(t, publish(t, folder, repository, ""))

			named := componentOf(t, folder)
			if named.repository != repository || named.digest != archived.Digest.String() || named.tag == "" {
				t.Errorf("the component names %+v, the archive has %s", named, archived.Digest)
			}
			installed, err := os.ReadFile(filepath.Join(folder, "install.yaml"))
			must(t, err)
			images := image.FindAllStringSubmatch(string(installed), -1)
			if len(images) < 3 {
				t.Errorf("hardly any image: %v", images)
			}
			for _, each := range images {
				if want := repository + ":" + named.tag + "@" + named.digest; each[1] != want {
					t.Errorf("install.yaml has the image %s, want %s", each[1], want)
				}
			}
			tagged, err := remote.Head(reference(t, repository+":"+named.tag))
			must(t, err)
			if tagged.Digest.String() != named.digest {
				t.Errorf("%s is tagged, not %s", tagged.Digest, named.digest)
			}
			checkIndex(t, repository+"@"+named.digest)
			checkDocuments(t, folder, repository, named)

			// The second time nothing differs.
			before := files(t, folder)
			must(t, os.WriteFile(filepath.Join(folder, "install.yaml"), nil, 0o644))
			must(t, publish(t, folder, repository, ""))
			for file, text := range files(t, folder) {
				if before[file] != text {
					t.Errorf("%s is another one after the second push", file)
				}
			}
		})
	}
}

// checkIndex pulls everything again, and compares it with what it is called by.
func checkIndex(t *testing.T, digest string) {
	t.Helper()
	index, err := remote.Index(reference(t, digest))
	must(t, err)
	if err := validate.Index(index); err != nil {
		t.Errorf("the index is not valid: %v", err)
	}
	manifest, err := index.IndexManifest()
	must(t, err)
	var platforms []string
	for _, each := range manifest.Manifests {
		if each.Platform == nil {
			t.Fatalf("an image for no platform: %+v", each)
		}
		platforms = append(platforms, each.Platform.String())
		image, err := index.Image(each.Digest)
		must(t, err)
		config, err := image.ConfigFile()
		must(t, err)
		if config.Architecture != each.Platform.Architecture || config.OS != each.Platform.OS {
			t.Errorf("an image for %s says that it is for %s/%s", each.Platform, config.OS, config.Architecture)
		}
		if config.Config.User != "65532:65532" {
			t.Errorf("it runs as %q", config.Config.User)
		}
	}
	t.Logf("platforms: %v", platforms)
	if !slices.Contains(platforms, "linux/amd64") {
		t.Errorf("there is no image for amd64: %v", platforms)
	}
}

// checkDocuments: the registry lists both documents by the index, and has them as they are in the folder.
func checkDocuments(t *testing.T, folder, repository string, named component) {
	t.Helper()
	listed, err := remote.Referrers(reference(t, repository+"@"+named.digest).(name.Digest))
	must(t, err)
	manifest, err := listed.IndexManifest()
	must(t, err)
	documents := map[string]string{
		"application/vnd.in-toto+json": "steward-" + named.tag + ".provenance.json",
		"application/spdx+json":        "steward-" + named.tag + ".spdx.json",
	}
	for _, each := range manifest.Manifests {
		document, err := remote.Image(reference(t, repository+"@"+each.Digest.String()))
		must(t, err)
		// Not every registry tells of the type where it lists them.
		raw, err := document.RawManifest()
		must(t, err)
		var artifact struct{ ArtifactType string }
		must(t, json.Unmarshal(raw, &artifact))
		file := documents[artifact.ArtifactType]
		if file == "" {
			t.Errorf("what is %+v?", each)
			continue
		}
		delete(documents, artifact.ArtifactType)
		want, err := os.ReadFile(filepath.Join(folder, file))
		must(t, err)
		layers, err := document.Layers()
		must(t, err)
		if len(layers) != 1 {
			t.Fatalf("%s has %d parts", file, len(layers))
		}
		content, err := layers[0].Compressed()
		must(t, err)
		got, err := io.ReadAll(content)
		must(t, err)
		if string(got) != string(want) {
			t.Errorf("%s in the registry differs", file)
		}
	}
	if len(documents) != 0 {
		t.Errorf("the registry does not list %v", documents)
	}
	text, err := os.ReadFile(filepath.Join(folder, "steward-"+named.tag+".provenance.json"))
	must(t, err)
	checkStatement(t, text, "https://in-toto.io/Statement/v1", repository, named.digest)
}

// checkStatement: a statement is of the image, and says what it was made of.
func checkStatement(t *testing.T, text []byte, statementType, repository, digest string) {
	t.Helper()
	var statement struct {
		Type    string `json:"_type"`
		Subject []struct {
			Name   string
			Digest map[string]string
		}
		PredicateType string
		Predicate     struct {
			BuildDefinition struct {
				BuildType            string
				ExternalParameters   map[string]any
				ResolvedDependencies []struct {
					Name, URI string
					Digest    map[string]string
				}
			}
			RunDetails struct{ Builder struct{ ID string } }
		}
	}
	must(t, json.Unmarshal(text, &statement))
	if statement.Type != statementType || statement.PredicateType != "https://slsa.dev/provenance/v1" {
		t.Errorf("a statement %s of %s", statement.Type, statement.PredicateType)
	}
	if len(statement.Subject) != 1 || statement.Subject[0].Name != repository || "sha256:"+statement.Subject[0].Digest["sha256"] != digest {
		t.Errorf("a statement of %+v, not of %s@%s", statement.Subject, repository, digest)
	}
	definition := statement.Predicate.BuildDefinition
	document, err := os.ReadFile(filepath.Join(root(t), "docs", "image.md"))
	must(t, err)
	for _, uri := range []string{definition.BuildType, statement.Predicate.RunDetails.Builder.ID} {
		if uri == "" || !strings.Contains(string(document), "`"+uri+"`") {
			t.Errorf("docs/image.md does not say what %q is", uri)
		}
	}
	if definition.ExternalParameters["version"] == "" || len(definition.ResolvedDependencies) < 10 {
		t.Errorf("it says hardly anything: %+v", definition)
	}
	for i, each := range definition.ResolvedDependencies {
		if i == 0 && each.Digest["gitCommit"] == "" || i > 0 && !strings.HasPrefix(each.URI, "pkg:deb/debian/") {
			t.Errorf("what is %+v?", each)
		}
	}
}

// guarded answers for a registry, unless the credentials are right.
func guarded(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "pusher" || password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
			http.Error(w, `{"errors":[{"code":"UNAUTHORIZED","message":"who is this?"}]}`, http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// Credentials are those of docker's configuration.
func TestPush_HasCredentials(t *testing.T) {
	host := serve(t, guarded)
	repository := host + "/steward"
	folder := made(t)
	before := files(t, folder)
	configured := func(user, password string) string {
		text, err := json.Marshal(map[string]any{"auths": map[string]any{host: map[string]string{"username": user, "password": password}}})
		must(t, err)
		config := t.TempDir()
		must(t, os.WriteFile(filepath.Join(config, "config.json"), text, 0o600))
		return "DOCKER_CONFIG=" + config
	}
	refused(t, publish(t, folder, repository, "", "DOCKER_CONFIG="+t.TempDir()), "401", folder, before, "")
	refused(t, publish(t, folder, repository, "", configured("pusher", "wrong")), "401", folder, before, "")
	must(t, publish(t, folder, repository, "", configured("pusher", "secret")))
	if named := componentOf(t, folder); named.repository != repository {
		t.Errorf("the component names %+v", named)
	}
}

// A registry with a certificate is spoken to where that is trusted, and not where it is not.
func TestPush_SpeaksHTTPS(t *testing.T) {
	quiet := log.New(io.Discard, "", 0)
	server := httptest.NewUnstartedServer(registry.New(registry.Logger(quiet)))
	server.Config.ErrorLog = quiet
	server.StartTLS()
	defer server.Close()
	repository := strings.TrimPrefix(server.URL, "https://") + "/steward"
	authority := filepath.Join(t.TempDir(), "authority.pem")
	must(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o644))
	keys := keyPair(t)
	folder := made(t)
	before := files(t, folder)
	refused(t, publish(t, folder, repository, ""), "certificate", folder, before, "")
	must(t, publish(t, folder, repository, filepath.Join(keys, "cosign.key"), password, "SSL_CERT_FILE="+authority))
	named := componentOf(t, folder)
	tagged, err := remote.Head(reference(t, repository+":"+named.tag), remote.WithTransport(server.Client().Transport))
	must(t, err)
	if tagged.Digest.String() != named.digest {
		t.Errorf("%s is tagged, not %s", tagged.Digest, named.digest)
	}
}

// A push that a registry refuses, at whichever step, leaves no tag and no manifests that name it.
func TestPush_IsRefused(t *testing.T) {
	for _, each := range []struct {
		what, word string
		status     int
		refuses    func(*http.Request) bool
	}{
		{"every request", "401", http.StatusUnauthorized, func(*http.Request) bool { return true }},
		{"every write", "DENIED: not now", http.StatusForbidden, func(r *http.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }},
		{"what is uploaded", "500", http.StatusInternalServerError, func(r *http.Request) bool { return r.Method == http.MethodPut && isBlob(r) }},
		{"manifests", "500", http.StatusInternalServerError, func(r *http.Request) bool { return r.Method == http.MethodPut && !isBlob(r) }},
		{"tags", "DENIED: not now", http.StatusTooManyRequests, func(r *http.Request) bool {
			return r.Method == http.MethodPut && !isBlob(r) && !strings.Contains(r.URL.Path, "/manifests/sha256")
		}},
	} {
		t.Run(each.what, func(t *testing.T) {
			t.Parallel()
			repository := serve(t, func(handler http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if each.refuses(r) {
						body := "it broke"
						if each.status < http.StatusInternalServerError {
							body = `{"errors":[{"code":"DENIED","message":"not now"}]}`
						}
						http.Error(w, body, each.status)
						return
					}
					handler.ServeHTTP(w, r)
				})
			}, registry.WithReferrersSupport(true)) + "/steward"
			folder := made(t)
			before := files(t, folder)
			refused(t, publish(t, folder, repository, ""), each.word, folder, before, repository)
		})
	}
}

func isBlob(r *http.Request) bool { return strings.Contains(r.URL.Path, "/blobs/") }

// Where nobody listens is said, too.
func TestPush_ReachesNobody(t *testing.T) {
	server := httptest.NewServer(nil)
	host := strings.TrimPrefix(server.URL, "http://")
	server.Close()
	folder := made(t)
	before := files(t, folder)
	refused(t, publish(t, folder, host+"/steward", ""), host, folder, before, "")
}

// A wrong command is refused before anything is built.
func TestUsage(t *testing.T) {
	key := filepath.Join(t.TempDir(), "cosign.key")
	must(t, os.WriteFile(key, nil, 0o600))
	for _, each := range []struct {
		arguments []string
		word      string
	}{
		{[]string{"--push"}, "needs a value"},
		{[]string{"--push", "steward"}, "no registry and repository"},
		{[]string{"--push", "registry.example.com/steward:v1"}, "no registry and repository"},
		{[]string{"--push", "registry.example.com/steward@sha256:" + strings.Repeat("a", 64)}, "no registry and repository"},
		{[]string{"--push", "registry.example.com/Steward"}, "no registry and repository"},
		{[]string{"--push", "localhost:5000/steward"}, "--insecure allows that"},
		{[]string{"--push", "127.0.0.1:5000/steward"}, "--insecure allows that"},
		{[]string{"--push", "192.168.7.7:5000/steward", "--insecure"}, "on loopback"},
		{[]string{"--push", "registry.example.com/steward", "--insecure"}, "on loopback"},
		{[]string{"--push", "192.168.7.7:5000/steward"}, "plain HTTP might be spoken"},
		{[]string{"--sign-key", key}, "with --push alone"},
		{[]string{"--insecure"}, "with --push alone"},
		{[]string{"--push", "registry.example.com/steward", "--sign-key", key + ".not"}, "there is no key"},
		{[]string{"--push", "registry.example.com/steward", "--sign-key", key}, "COSIGN_PASSWORD is not set"},
		{[]string{"--arch=s390x"}, "takes --arch=amd64"},
		{[]string{"--force"}, "knows no '--force'"},
	} {
		_, stderr, err := dev(t, nil, `unset COSIGN_PASSWORD; exec ./dev image "$@"`, each.arguments...)
		if code := exitCode(err); code != 2 || !strings.Contains(stderr, each.word) {
			t.Errorf("%v: exit code %d, %s", each.arguments, code, stderr)
		}
	}
}
