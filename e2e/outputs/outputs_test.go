package outputs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const postgres = "tidepool-postgres.v5.3.1"

// Names are those that kubectl prints, and commands without objects have none.
func TestNames(t *testing.T) {
	wanted := "clusterserviceversion.operators.coreos.com/" + postgres
	if got := prints(t, "status", "-n", "databases", "-o", "name"); got != wanted+"\n" {
		t.Errorf("status: %q", got)
	}
	if got := prints(t, "status", "-A", "-o", "name"); strings.Count(got, "clusterserviceversion.operators.coreos.com/") < 5 {
		t.Errorf("status -A: %q", got)
	}
	if got := prints(t, "why", "databases", postgres, "-o", "name"); got != wanted+"\n" {
		t.Errorf("why: %q", got)
	}
	if got := prints(t, "uninstall", postgres, "-n", "databases", "--keep", "--dry-run", "-o", "name"); got != "" {
		t.Errorf("nothing was deleted: %q", got)
	}
	stdout, stderr, code := run(t, up.Kubeconfig, "tree", postgres, "-n", "databases", "-o", "name")
	if code != 2 || stdout != "" || !strings.Contains(stderr, "lists no objects") {
		t.Errorf("tree: %d, %q, %q", code, stdout, stderr)
	}
}

func TestNames_OfWhatWasDeleted(t *testing.T) {
	stdout, stderr, code := run(t, up.Kubeconfig, "uninstall", "ledger-queue.v1.0.3", "-n", "payments-operators", "--keep", "--yes", "-o", "name")
	if code != 0 || stdout != "clusterserviceversion.operators.coreos.com/ledger-queue.v1.0.3\n" {
		t.Errorf("%d, %q", code, stdout)
	}
	if !strings.Contains(stderr, "is gone") {
		t.Errorf("people are told nothing: %q", stderr)
	}
}

// Each command that only looks prints one document where one is asked for, and an answer where not.
func TestStreams(t *testing.T) {
	for _, args := range [][]string{
		{"status", "-A"}, {"status", postgres, "-n", "databases"}, {"why", "databases"}, {"tree", postgres, "-n", "databases"},
		{"preview", "uninstall", postgres, "-n", "databases"}, {"copied-csvs", "status"}, {"copied-csvs", "verify", "-A"},
		{"copied-csvs", "off", "--dry-run"}, {"uninstall", postgres, "-n", "databases", "--keep", "--dry-run"}, {"abort", postgres, "-n", "databases"},
		{"version"}, {"version", "--client"},
	} {
		stdout, _, code := run(t, up.Kubeconfig, append(args, "-o", "json")...)
		var document map[string]any
		if err := json.Unmarshal([]byte(stdout), &document); err != nil {
			t.Errorf("%q: %v: %s", args, err, stdout)
			continue
		}
		if int(document["exitCode"].(float64)) != code {
			t.Errorf("%q: %d, but %v", args, code, document["exitCode"])
		}
		for _, form := range []string{"", "-owide"} {
			command := args
			if form != "" {
				command = append(args[:len(args):len(args)], form)
			}
			answer, said, plain := run(t, up.Kubeconfig, command...)
			if plain != code || answer == "" {
				t.Errorf("%q: %d, want %d; %q, %q", command, plain, code, answer, said)
			}
		}
		if got, said, _ := run(t, up.Kubeconfig, append(args, "-o", "jsonpath={.exitCode}")...); got != strings.TrimSpace(got) || len(got) != 1 {
			t.Errorf("%q: %q, %q", args, got, said)
		}
	}
	// Nobody is there to ask: the preview is an answer, and the error is none.
	stdout, stderr, code := run(t, up.Kubeconfig, "uninstall", postgres, "-n", "databases", "--keep")
	if code != 2 || !strings.Contains(stdout, postgres) || strings.Contains(stdout, "--yes") || !strings.HasPrefix(stderr, "error: ") {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
}

func TestVersion(t *testing.T) {
	binary := prints(t, "version", "--client", "-o", "jsonpath={.clientVersion.gitVersion}")
	if !strings.HasPrefix(binary, "v0.") {
		t.Errorf("client: %q", binary)
	}
	stdout, stderr, code := run(t, up.Kubeconfig, "version")
	// One process is all of the cluster here.
	if code != 0 || stderr != "" || strings.Count(stdout, binary) != 3 || strings.Count(stdout, "\n") != 3 {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
	if got := prints(t, "version", "-o", "jsonpath={.serverVersion.gitVersion}"); got != binary {
		t.Errorf("server: %q", got)
	}
	// Nobody answers, and there is nobody to ask.
	nobody := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(nobody, []byte(`{clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, kubeconfig := range []string{nobody, ""} {
		stdout, stderr, code = run(t, kubeconfig, "version")
		if code != 1 || !strings.HasPrefix(stdout, "Client Version: "+binary) || !strings.HasPrefix(stderr, "error: ") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: %d, %q, %q", kubeconfig, code, stdout, stderr)
		}
		if stdout, stderr, code = run(t, kubeconfig, "version", "--client"); code != 0 || stderr != "" {
			t.Errorf("%q: --client: %d, %q, %q", kubeconfig, code, stdout, stderr)
		}
	}
}
