package browser_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/npm"
)

// chromium is Debian's, or what the variable names.
func chromium(t *testing.T) string {
	t.Helper()
	program := os.Getenv("STEWARD_CHROMIUM")
	if program == "" {
		program = "chromium"
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("no browser (Debian's package chromium): %v", err)
	}
	return path
}

// files are what `./dev console` built.
func files(t *testing.T) string {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	folder := filepath.Join(root, "bin", "console")
	if _, err := os.Stat(filepath.Join(folder, "standalone", "index.html")); err != nil {
		t.Skipf("the pages are not built (./dev console): %v", err)
	}
	return folder
}

// TestBrowser runs a browser in front of the page of its own; each of its tests is a test here.
func TestBrowser(t *testing.T) {
	program := chromium(t)
	must(t, restore(t.Context()))
	address := serve(t, "--standalone", "--kubeconfig="+shared.Admin)
	runBrowser(t, "standalone.test.mjs", program, "STEWARD_STANDALONE="+address)
}

// TestOpenShift runs a browser in front of the real OpenShift console, whose plugin the pages are, where somebody has built it.
func TestOpenShift(t *testing.T) {
	program, console := chromium(t), openShift(t)
	must(t, restore(t.Context()))
	plugin := serve(t)
	t.Setenv("SSL_CERT_FILE", shared.ServingCAFile()) // the console asks for settings by a client of its own, which no flag tells of it
	origins := map[string]string{}
	for user, token := range tokens {
		port, err := cluster.FreePort()
		must(t, err)
		origins[user] = fmt.Sprintf("http://127.0.0.1:%d", port)
		// The user is who the console itself is.
		bridge, err := cluster.Spawn(t.TempDir(), "bridge-"+user, filepath.Join(console, "bridge"), "--user-auth=disabled", "--k8s-mode=off-cluster",
			"--k8s-mode-off-cluster-endpoint="+shared.Config.Host, "--k8s-mode-off-cluster-skip-verify-tls=true", "--k8s-auth-bearer-token="+token,
			"--user-settings-location=localstorage", "--listen="+origins[user], "--public-dir="+filepath.Join(console, "public"),
			"--plugins=steward="+plugin, "--i18n-namespaces=plugin__steward")
		must(t, err)
		t.Cleanup(func() { must(t, bridge.Stop(patience)) })
		answers(t, origins[user]+"/health")
	}
	asked, err := json.Marshal(origins)
	must(t, err)
	runBrowser(t, "openshift.test.mjs", program, "STEWARD_OPENSHIFT="+string(asked))
}

// openShift is the folder of the console that openshift.sh has built.
func openShift(t *testing.T) string {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	find := exec.CommandContext(t.Context(), filepath.Join(root, "e2e", "browser", "openshift.sh"), "find")
	var why strings.Builder
	find.Stderr = &why
	found, err := find.Output()
	if err != nil {
		t.Skipf("%v: %s", err, strings.TrimSpace(why.String()))
	}
	return strings.TrimSpace(string(found))
}

// serve runs `steward console` over HTTP, and returns its address.
func serve(t *testing.T, flags ...string) string {
	t.Helper()
	folder := files(t)
	port, err := cluster.FreePort()
	must(t, err)
	binary, err := cluster.Binary()
	must(t, err)
	served, err := cluster.Spawn(t.TempDir(), "console", binary, append([]string{"console", "--files=" + folder, "--http", "--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port)}, flags...)...)
	must(t, err)
	t.Cleanup(func() { must(t, served.Stop(patience)) })
	address := fmt.Sprintf("http://127.0.0.1:%d", port)
	answers(t, address+"/readyz")
	return address
}

// answers waits until a server answers.
func answers(t *testing.T, url string) {
	t.Helper()
	eventually(t, func() error {
		answer, err := http.Get(url)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", url, answer.Status)
		}
		return nil
	})
}

// runBrowser runs a file of browser/, with the users' tokens, and a subtest for each of its tests.
func runBrowser(t *testing.T, file, program string, environment ...string) {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	work := npm.Work(t, filepath.Join(root, "e2e", "browser", "js"), "*.mjs")
	control := httptest.NewServer(http.HandlerFunc(controlled))
	defer control.Close()

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, "node", "--test", "--test-reporter=./reporter.mjs", "--test-reporter-destination=stdout", file)
	run.Dir = work
	run.Env = append(os.Environ(), append(environment, "KUBECONFIG="+shared.Admin, "PATH="+shared.KubectlDir()+":"+os.Getenv("PATH"),
		"STEWARD_CHROMIUM="+program, "STEWARD_CONTROL="+control.URL,
		"STEWARD_ADMIN_TOKEN="+tokens["admin"], "STEWARD_EDITOR_TOKEN="+tokens["editor"], "STEWARD_TENANT_TOKEN="+tokens["tenant"])...)
	run.Stderr = os.Stderr
	out, err := run.StdoutPipe()
	must(t, err)
	must(t, run.Start())
	tests := 0
	for lines := newLines(out); lines.Scan(); {
		var line struct {
			Name, Outcome, Message, Note string
			Milliseconds                 int
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Logf("%s", lines.Text())
			continue
		}
		if line.Note != "" {
			t.Log(line.Note)
			continue
		}
		tests++
		t.Run(strings.ReplaceAll(line.Name, " ", "_"), func(t *testing.T) {
			t.Logf("%d ms", line.Milliseconds)
			switch line.Outcome {
			case "skip":
				t.Skip(line.Message)
			case "fail":
				t.Error(line.Message)
			}
		})
	}
	if err := run.Wait(); err != nil && !t.Failed() {
		t.Error(err)
	}
	if tests == 0 {
		t.Error("the browser tested nothing")
	}
}

func newLines(out interface{ Read([]byte) (int, error) }) *bufio.Scanner {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 4<<20)
	return lines
}

// controlled does for a test in the browser what that cannot: it stops and starts Steward, and makes many operators.
func controlled(w http.ResponseWriter, r *http.Request) {
	var err error
	switch r.URL.Path {
	case "/steward/stop":
		err = steward.Stop()
	case "/steward/start":
		if err = steward.Start(linked...); err == nil {
			err = shared.WaitServed(r.Context())
		}
	case "/crowd":
		err = crowd(r.Context())
	default:
		http.NotFound(w, r)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
