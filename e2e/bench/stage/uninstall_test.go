package stage

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWritten(t *testing.T) {
	u := &Uninstalls{audit: filepath.Join(t.TempDir(), "audit.log")}
	if _, err := u.Written(); err == nil {
		t.Error("no audit is no error")
	}
	text := `{"kind":"Event","verb":"update","objectRef":{"resource":"leases"}}
{"kind":"Event","verb":"update","objectRef":{"resource":"leases"}}
{"kind":"Event","verb":"patch","objectRef":{"resource":"clusterroles"}}
`
	if err := os.WriteFile(u.audit, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	written, err := u.Written()
	if err != nil || written["update leases"] != 2 || written["patch clusterroles"] != 1 || len(written) != 2 {
		t.Errorf("got %v, %v", written, err)
	}
}
