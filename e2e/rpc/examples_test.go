package rpc_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"steward.dev/e2e/cluster"
)

func unmarshal(text []byte, into any) error { return json.Unmarshal(text, into) }

// The clients in examples/grpc do what they say.
func TestExamples(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	s := install(t)
	must(t, s.addWidget(t.Context(), s.spaces[0], "one"))
	pair := certificateOf(t, "admin", "system:masters")
	ca := filepath.Join(shared.Dir, "rpc-ca.crt")
	common := []string{"--address", grpcAddress, "--ca", ca, "--cert", pair.Cert, "--key", pair.Key}
	examples := map[string]func(t *testing.T) (base []string, once []string){
		"cpp": func(t *testing.T) ([]string, []string) {
			binary := environmentOr("STEWARD_GRPC_CLIENT", filepath.Join(root, "bin", "grpc-client"))
			return []string{binary, grpcAddress, ca, pair.Cert, pair.Key}, []string{"watch", "--once"}
		},
		"go": func(t *testing.T) ([]string, []string) {
			binary := filepath.Join(t.TempDir(), "client")
			run(t, nil, "go", "-C", filepath.Join(root, "examples", "grpc", "go"), "build", "-o", binary, ".")
			return append([]string{binary}, common...), []string{"--once", "watch"}
		},
		"python": func(t *testing.T) ([]string, []string) {
			folder := filepath.Join(root, "examples", "grpc", "python")
			modules := t.TempDir()
			run(t, nil, filepath.Join(folder, "generate.sh"), modules)
			// Debian's packages are Debian's interpreter's.
			base := []string{"env", "PYTHONPATH=" + modules, "/usr/bin/python3", filepath.Join(folder, "client.py")}
			return append(base, common...), []string{"--once", "watch"}
		},
	}
	for name, prepare := range examples {
		t.Run(name, func(t *testing.T) {
			base, watch := prepare(t)
			status := s.namespace + " " + csvName + " "
			for what, arguments := range map[string][]string{"list": {"list"}, "watch": watch} {
				if said := run(t, base, arguments...); !strings.Contains(said, status) {
					t.Errorf("%s: %q lacks %q", what, said, status)
				}
			}
			want := "widgets." + s.group + " " + s.spaces[0] + " one"
			if said := run(t, base, "pending", s.namespace, csvName); !strings.Contains(said, want) {
				t.Errorf("pending: %q lacks %q", said, want)
			}
			command := exec.CommandContext(t.Context(), base[0], append(base[1:], "pending", s.namespace, "nobody")...)
			if said, err := command.CombinedOutput(); err == nil || !strings.Contains(string(said), `"nobody" not found`) {
				t.Errorf("pending of nobody: %v, %q", err, said)
			}
		})
	}
}

func run(t *testing.T, base []string, arguments ...string) string {
	t.Helper()
	words := append(append([]string{}, base...), arguments...)
	command := exec.CommandContext(t.Context(), words[0], words[1:]...)
	command.Stderr = os.Stderr
	said, err := command.Output()
	if err != nil {
		t.Fatalf("%q: %v: %s", words, err, said)
	}
	return string(said)
}
