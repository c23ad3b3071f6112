// Package npm installs packages of lock files, once for each of them.
package npm

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"steward.dev/e2e/check"
)

// Work returns a folder with the files of source that the pattern matches and the packages of its lock file beside them. The test is
// skipped where Node.js is missing.
func Work(t *testing.T, source, pattern string) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed (Debian's packages nodejs and npm): %v", program, err)
		}
	}
	work := t.TempDir()
	check.Must(t, os.Symlink(modules(t, source), filepath.Join(work, "node_modules")))
	scripts, err := filepath.Glob(filepath.Join(source, pattern))
	check.Must(t, err)
	for _, script := range scripts {
		copyFile(t, script, work)
	}
	return work
}

// modules installs what the lock file says, once for each lock file, and returns the folder.
func modules(t *testing.T, source string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	check.Must(t, err)
	hash := sha256.New()
	files := []string{"package.json", "package-lock.json", ".npmrc"}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(source, name))
		check.Must(t, err)
		fmt.Fprintf(hash, "%s %d\n%s", name, len(text), text)
	}
	dir := filepath.Join(cache, "steward", "javascript", fmt.Sprintf("%x", hash.Sum(nil)[:8]))
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(modules); err == nil {
		return modules
	}
	check.Must(t, os.MkdirAll(filepath.Dir(dir), 0o755))
	work, err := os.MkdirTemp(filepath.Dir(dir), "install-")
	check.Must(t, err)
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
	check.Must(t, err)
	check.Must(t, os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o644))
}
