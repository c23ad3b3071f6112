package audit_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"steward.dev/e2e/check"
)

// A log that has become old twice: nothing is left of it but compressed files and the one in use, and together they have
// every event once.
func TestAudit_OldFilesAreCompressed(t *testing.T) {
	dir := t.TempDir()
	file, log := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "own.log")
	check.Must(t, os.WriteFile(file, []byte(policy), 0o600))
	// A process that died while it compressed left these.
	const older = `{"auditID":"older"}` + "\n"
	check.Must(t, os.WriteFile(filepath.Join(dir, "own-2026-01-01T00-00-00.000.log"), []byte(older), 0o600))
	check.Must(t, os.WriteFile(filepath.Join(dir, "own-2026-01-01T00-00-00.000.log.gz.tmp"), []byte("half"), 0o600))
	own, err := shared.NewSteward("compressing")
	check.Must(t, err)
	own.Kubeconfig = shared.Admin
	t.Cleanup(func() { check.Must(t, own.Stop()) })
	check.Must(t, own.Start("--audit-policy-file="+file, "--audit-log-path="+log, "--audit-log-maxsize=1", "--audit-log-compress", "--audit-log-maxage=0"))
	check.Must(t, own.WaitReady(t.Context()))
	user, err := own.WithUser("alice", "dev")
	check.Must(t, err)
	// Two events of 7 KB for each request.
	const requests = 180
	path := listPath + "?x=" + strings.Repeat("x", 7_000)
	for i := range requests {
		code, err := ask(t.Context(), user, path, fmt.Sprintf("compressed-%d", i))
		check.Must(t, err)
		if code != http.StatusOK {
			t.Fatalf("code %d", code)
		}
	}
	check.Eventually(t, func() error {
		compressed, err := filepath.Glob(filepath.Join(dir, "own-*.log.gz"))
		if err != nil {
			return err
		}
		others, err := filepath.Glob(filepath.Join(dir, "own-*"))
		if err != nil {
			return err
		}
		if len(compressed) != 3 || len(others) != 3 {
			return fmt.Errorf("want three compressed files: %q", others)
		}
		seen := map[string]int{}
		for _, name := range append(compressed, log) {
			if err := countEvents(name, seen); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		for i := range requests {
			if n := seen[fmt.Sprintf("compressed-%d", i)]; n != 2 {
				return fmt.Errorf("request %d has %d events, want 2", i, n)
			}
		}
		if seen["older"] != 1 {
			return fmt.Errorf("the older file has %d events, want 1", seen["older"])
		}
		return nil
	})
}

// countEvents counts the events of a file by their audit ids.
func countEvents(name string, seen map[string]int) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	text := io.Reader(file)
	if strings.HasSuffix(name, ".gz") {
		if text, err = gzip.NewReader(file); err != nil {
			return err
		}
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		seen[fmt.Sprint(e["auditID"])]++
	}
	return lines.Err()
}
