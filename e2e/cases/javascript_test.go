package cases

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// TestJavaScript runs e2e/javascript: what the OpenShift console does, and @kubernetes/client-node.
func TestJavaScript(t *testing.T) {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed (Debian's packages nodejs and npm): %v", program, err)
		}
	}
	root, err := cluster.Root()
	must(t, err)
	source := filepath.Join(root, "e2e", "javascript")
	work := t.TempDir()
	must(t, os.Symlink(nodeModules(t, source), filepath.Join(work, "node_modules")))
	scripts, err := filepath.Glob(filepath.Join(source, "*.mjs"))
	must(t, err)
	for _, script := range scripts {
		copyFile(t, script, work)
	}

	home := space(t)
	group := olm.OperatorGroup(home, "own", home)
	create(t, group)
	settled(t)
	csv, err := json.Marshal(olm.CSV("template", group, home))
	must(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	defer cancel()
	run := exec.CommandContext(ctx, "node", "clients.test.mjs")
	run.Dir = work
	run.Env = append(os.Environ(), "KUBECONFIG="+shared.Admin, "STEWARD_NAMESPACE="+home, "STEWARD_CSV="+string(csv))
	began := time.Now()
	out, err := run.CombinedOutput()
	t.Logf("%s in %s\n%s", run, time.Since(began).Round(time.Millisecond), out)
	if err != nil {
		t.Error(err)
	}
}

// nodeModules installs what the lock file says, once for each lock file, and returns the folder.
func nodeModules(t *testing.T, source string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	must(t, err)
	hash := sha256.New()
	files := []string{"package.json", "package-lock.json", ".npmrc"}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(source, name))
		must(t, err)
		fmt.Fprintf(hash, "%s %d\n%s", name, len(text), text)
	}
	dir := filepath.Join(cache, "steward", "javascript", fmt.Sprintf("%x", hash.Sum(nil)[:8]))
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(modules); err == nil {
		return modules
	}
	must(t, os.MkdirAll(filepath.Dir(dir), 0o755))
	work, err := os.MkdirTemp(filepath.Dir(dir), "install-")
	must(t, err)
	defer os.RemoveAll(work)
	for _, name := range files {
		copyFile(t, filepath.Join(source, name), work)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci")
	install.Dir = work
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	// Another run may have been faster.
	if err := os.Rename(work, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		if _, there := os.Stat(modules); there != nil {
			t.Fatal(err)
		}
	}
	return modules
}

func copyFile(t *testing.T, path, dir string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o644))
}
