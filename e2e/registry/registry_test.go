// Package registry tests what `./dev image --push` leaves in a registry, by that command's own functions (tools/dev/registry.sh): what is
// pushed, how it is signed, and what becomes of a push that is refused. The registries are on loopback.
package registry

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

const overlay = "deploy/overlays/standalone"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// prelude is what ./dev begins with, as far as images need it.
const prelude = `set -euo pipefail
ROOT=$PWD
for each in common setup image registry up; do source tools/dev/$each.sh; done
REGISTRY_TOOLS=$(registry_tools_dir)
`

// root is the repository.
func root(t testing.TB) string {
	t.Helper()
	folder, err := filepath.Abs("../..")
	must(t, err)
	return folder
}

// dev runs a script with the functions of ./dev, and returns what it says on standard output and on standard error.
func dev(t testing.TB, env []string, script string, arguments ...string) (string, string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "bash", append([]string{"-c", prelude + script, "dev"}, arguments...)...)
	command.Dir = root(t)
	command.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	return stdout.String(), stderr.String(), err
}

// tools is the folder of crane and cosign, of which those that are named are there: built once for all runs.
func tools(t testing.TB, programs ...string) string {
	t.Helper()
	stdout, stderr, err := dev(t, nil, `build_registry_tools "$@" >&2; printf '%s\n' "$REGISTRY_TOOLS"`, programs...)
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	return strings.TrimSpace(stdout)
}

// needCosign skips a test where nobody has built cosign yet, which takes as long as everything else here.
func needCosign(t testing.TB) {
	t.Helper()
	folder, stderr, err := dev(t, nil, "registry_tools_dir")
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	if _, err := os.Stat(filepath.Join(strings.TrimSpace(folder), "cosign")); err != nil && os.Getenv("STEWARD_SIGNATURES") == "" {
		t.Skip("cosign is not built: STEWARD_SIGNATURES=1 has that done, as ./dev test --full does")
	}
}

func cosign(t testing.TB, env []string, arguments ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(tools(t, "cosign"), "cosign"), arguments...)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, stderr.String())
	}
	return stdout.String(), nil
}

// kubectl is the one of the test clusters, where they are built.
func kubectl(t testing.TB) string {
	t.Helper()
	if folder := os.Getenv("STEWARD_TOOLS"); folder != "" {
		if file := filepath.Join(folder, "kubectl"); exists(file) {
			return file
		}
	}
	stdout, stderr, err := dev(t, nil, `find_kubectl >&2; printf '%s\n' "$KUBECTL"`)
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	return strings.TrimSpace(stdout)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// made is a folder as ./dev image fills it, a copy for each test: that of STEWARD_IMAGE, else bin/image, else one with an image of a small
// program.
func made(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	from := os.Getenv("STEWARD_IMAGE")
	if from == "" {
		from = filepath.Join(root(t), "bin", "image")
	}
	if archives, _ := filepath.Glob(filepath.Join(from, "steward-*.provenance.json")); len(archives) == 1 {
		for _, pattern := range []string{"kustomization.yaml", "install.yaml", "steward-*.tar", "steward-*.json"} {
			files, err := filepath.Glob(filepath.Join(from, pattern))
			must(t, err)
			for _, file := range files {
				text, err := os.ReadFile(file)
				must(t, err)
				must(t, os.WriteFile(filepath.Join(folder, filepath.Base(file)), text, 0o644))
			}
		}
		return folder
	}
	small, err := smallImage(t)
	must(t, err)
	must(t, os.CopyFS(folder, os.DirFS(small)))
	return folder
}

var small struct {
	once   sync.Once
	folder string
	err    error
}

// smallImage is made once for all tests.
func smallImage(t testing.TB) (string, error) {
	small.once.Do(func() {
		if small.folder, small.err = os.MkdirTemp("", "steward-image-"); small.err != nil {
			return
		}
		t.Log("there is no bin/image: an image of a small program is pushed")
		_, stderr, err := dev(t, nil, `make_image /usr/bin/env 1.2.3+gabc "$(git rev-parse HEAD 2>/dev/null || echo abc)" 1700000000 "$1"
			render_install "$2" "$1" `+overlay+` "$1/install.yaml"`, small.folder, kubectl(t))
		if err != nil {
			small.err = fmt.Errorf("%w: %s", err, stderr)
		}
	})
	return small.folder, small.err
}

func TestMain(m *testing.M) {
	status := m.Run()
	if small.folder != "" {
		os.RemoveAll(small.folder)
	}
	os.Exit(status)
}

// serve is an empty registry on a free port of loopback, behind a handler that may answer in its place.
func serve(t testing.TB, behind func(http.Handler) http.Handler, options ...registry.Option) (host string) {
	t.Helper()
	options = append(options, registry.Logger(log.New(io.Discard, "", 0)))
	handler := registry.New(options...)
	if behind != nil {
		handler = behind(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// publish pushes as `./dev image --push REPOSITORY` does.
func publish(t testing.TB, folder, repository, key string, env ...string) error {
	t.Helper()
	tools(t, "crane")
	if key != "" {
		tools(t, "cosign")
	}
	_, stderr, err := dev(t, env, `publish_image "$@"`, kubectl(t), folder, overlay, repository, key)
	if err != nil {
		return &refusal{stderr: stderr, err: err}
	}
	return nil
}

// refusal is a command that failed.
type refusal struct {
	stderr string
	err    error
}

func (r *refusal) Error() string { return fmt.Sprintf("%v: %s", r.err, r.stderr) }
func (r *refusal) Unwrap() error { return r.err }

// exitCode is that of a command that failed, and 0 of one that did not.
func exitCode(err error) int {
	var status *exec.ExitError
	if errors.As(err, &status) {
		return status.ExitCode()
	}
	return 0
}

// component is what bin/image/kustomization.yaml names.
type component struct{ repository, tag, digest string }

func componentOf(t testing.TB, folder string) component {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "kustomization.yaml"))
	must(t, err)
	field := func(key string) string {
		match := regexp.MustCompile(`(?m)^  ` + key + `: (.*)$`).FindStringSubmatch(string(text))
		if match == nil {
			return ""
		}
		return match[1]
	}
	return component{field("newName"), field("newTag"), field("digest")}
}

// archivedIndex is the digest of what an archive calls by a tag, and by its digest.
func archivedIndex(t testing.TB, folder string) v1.Descriptor {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join(folder, "steward-*.tar"))
	must(t, err)
	if len(archives) != 1 {
		t.Fatalf("archives: %v", archives)
	}
	file, err := os.Open(archives[0])
	must(t, err)
	defer file.Close()
	for archive := tar.NewReader(file); ; {
		header, err := archive.Next()
		must(t, err)
		if header.Name != "./index.json" {
			continue
		}
		var index v1.IndexManifest
		must(t, json.NewDecoder(archive).Decode(&index))
		return index.Manifests[0]
	}
}

// files are the contents of a folder.
func files(t testing.TB, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = string(text)
		return err
	}))
	return found
}

func reference(t testing.TB, text string) name.Reference {
	t.Helper()
	parsed, err := name.ParseReference(text)
	must(t, err)
	return parsed
}

// refused checks that a push ended as one that a registry refuses: a sentence that has a word, exit code 1, no tag, the folder as it was.
func refused(t testing.TB, err error, word, folder string, before map[string]string, repository string) {
	t.Helper()
	var said *refusal
	if !errors.As(err, &said) {
		t.Fatalf("it was not refused: %v", err)
	}
	if exitCode(err) != 1 {
		t.Errorf("another end: %v", said.err)
	}
	if sentence := strings.TrimSuffix(said.stderr, "\n"); !strings.HasPrefix(sentence, "dev: ") || strings.Contains(sentence, "\n") || !strings.Contains(sentence, word) {
		t.Errorf("no sentence about %q:\n%s", word, said.stderr)
	}
	if after := files(t, folder); !maps.Equal(after, before) {
		t.Errorf("%s changed: %v", folder, slices.Sorted(maps.Keys(after)))
	}
	if repository == "" {
		return
	}
	tags, err := remote.List(reference(t, repository).Context())
	if err == nil && slices.Contains(tags, componentOf(t, folder).tag) {
		t.Errorf("it was tagged: %v", tags)
	}
}
