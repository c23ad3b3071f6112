package rpc_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"steward.dev/e2e/examples"
)

func unmarshal(text []byte, into any) error { return json.Unmarshal(text, into) }

// The clients in examples/grpc do what they say.
func TestExamples(t *testing.T) {
	s := install(t)
	must(t, s.addWidget(t.Context(), s.spaces[0], "one"))
	pair := certificateOf(t, "admin", "system:masters")
	ca := filepath.Join(shared.Dir, "rpc-ca.crt")
	for _, language := range examples.Languages {
		t.Run(language, func(t *testing.T) {
			client := examples.Prepare(t, language, grpcAddress, ca, pair)
			status := s.namespace + " " + csvName + " "
			for what, arguments := range map[string][]string{"list": {"list"}, "watch": client.Once("watch")} {
				if said := examples.Run(t, client.Base, arguments...); !strings.Contains(said, status) {
					t.Errorf("%s: %q lacks %q", what, said, status)
				}
			}
			want := "widgets." + s.group + " " + s.spaces[0] + " one"
			if said := examples.Run(t, client.Base, "pending", s.namespace, csvName); !strings.Contains(said, want) {
				t.Errorf("pending: %q lacks %q", said, want)
			}
			words := append(append([]string{}, client.Base...), "pending", s.namespace, "nobody")
			command := exec.CommandContext(t.Context(), words[0], words[1:]...)
			if said, err := command.CombinedOutput(); err == nil || !strings.Contains(string(said), `"nobody" not found`) {
				t.Errorf("pending of nobody: %v, %q", err, said)
			}
		})
	}
}
