// Package examples makes the clients of examples/grpc ready to be run.
package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
)

// Client is a client in one language: the words before its arguments, and how it is told to end after the first answer of a
// watch, whose words are the arguments.
type Client struct {
	Base []string
	Once func(watch ...string) []string
}

// Languages are those that Prepare knows.
var Languages = []string{"cpp", "go", "python"}

// Prepare builds the client in one language, for a server and with a certificate.
func Prepare(t *testing.T, language, address, ca string, pair cluster.Pair) Client {
	t.Helper()
	root, err := cluster.Root()
	check.Must(t, err)
	first := func(watch ...string) []string { return append([]string{"--once"}, watch...) }
	common := []string{"--address", address, "--ca", ca, "--cert", pair.Cert, "--key", pair.Key}
	switch language {
	case "cpp":
		binary := os.Getenv("STEWARD_GRPC_CLIENT")
		if binary == "" {
			binary = filepath.Join(root, "bin", "grpc-client")
		}
		last := func(watch ...string) []string { return append(watch, "--once") }
		return Client{[]string{binary, address, ca, pair.Cert, pair.Key}, last}
	case "go":
		binary := filepath.Join(t.TempDir(), "client")
		Run(t, nil, "go", "-C", filepath.Join(root, "examples", "grpc", "go"), "build", "-o", binary, ".")
		return Client{append([]string{binary}, common...), first}
	default:
		folder := filepath.Join(root, "examples", "grpc", "python")
		modules := t.TempDir()
		Run(t, nil, filepath.Join(folder, "generate.sh"), modules)
		// Debian's packages are Debian's interpreter's.
		base := []string{"env", "PYTHONPATH=" + modules, "/usr/bin/python3", filepath.Join(folder, "client.py")}
		return Client{append(base, common...), first}
	}
}

// Run is what a command says that ends well.
func Run(t *testing.T, base []string, arguments ...string) string {
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
