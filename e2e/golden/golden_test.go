package golden_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
	"steward.dev/e2e/olm"
	"steward.dev/e2e/terminal"
)

var update = flag.Bool("update", false, "write the sessions of testdata instead of comparing with them")

// session is a use of a command in a terminal.
type session struct {
	name  string // of its file
	args  string // behind `kubectl steward`
	types string // the answer to its question; "" = it asks nothing
}

// goldenCSV is how each session names the operator: in the namespace ops-golden.
const goldenCSV = csvName + " -n " + namespace

// sessions change nothing, so every role can have them.
var sessions = []session{
	{"help", "--help", ""},
	{"status-all", "status -A", ""},
	{"status", "status -n ops-golden", ""},
	{"status-elsewhere", "status -n a-golden", ""},
	{"status-of", "status " + goldenCSV, ""},
	{"why", "why a-golden", ""},
	{"why-not", "why default " + csvName, ""},
	{"why-one", "why a-golden everywhere.v1", ""},
	{"tree", "tree " + goldenCSV, ""},
	{"tree-of-copy", "tree everywhere.v1 -n a-golden", ""},
	{"uninstall-dry-run", "uninstall " + goldenCSV + " --cleanup --dry-run", ""},
	{"uninstall-no", "uninstall " + goldenCSV + " --cleanup", "n\n"},
	{"abort", "abort " + goldenCSV, "n\n"},
	{"restore-nothing", "restore nothing", ""},
	{"preview-plan", "preview plan install-waits -n ops-golden", ""},
	{"preview-subscription", "preview subscription subscription -n ops-golden", ""},
	{"preview-bundle", "preview bundle ROOT/docs/samples/reed -n ops-golden", ""},
	{"preview-uninstall", "preview uninstall " + goldenCSV + " --cleanup", ""},
	{"preview-copied-csvs", "preview copied-csvs off", ""},
	{"copied-csvs-status", "copied-csvs status", ""},
	{"copied-csvs-off", "copied-csvs off", "n\n"},
	{"copied-csvs-on", "copied-csvs on", "n\n"},
	{"copied-csvs-verify", "copied-csvs verify -n a-golden", ""},
	{"doctor", "doctor", ""},
	{"remove", "remove", "n\n"},
	{"version", "version", ""},
	{"usage", "status --nope", ""},
}

var changing = []struct {
	expression *regexp.Regexp
	by         string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`(operator\.v1|carts\.v1)-[0-9a-f]{8}\b`), "$1-UID"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`\b\d+:\d\d\b`), "M:SS"},
	{regexp.MustCompile(`(?m)\b\d+[smh](\d+s)?( ago)?$`), "AGE$2"},
	{regexp.MustCompile(`[\d.]+ KiB`), "SIZE"},
	{regexp.MustCompile(`was there last \S+ ago`), "was there last AGE ago"},
	{regexp.MustCompile(`(?m)(Client|Server|Kubernetes) Version: .*$`), "$1 Version: VERSION"},
	{regexp.MustCompile(`/\S+/saved\b`), "SAVED"},
	{regexp.MustCompile(`(?m)[ \t]+$`), ""},
}

// told is what stands on a screen at the end, without what is different each time.
func told(s *terminal.Session, args string) string {
	said := "$ kubectl steward " + args + "\n" + strings.Join(terminal.Screen(s.Output()), "\n")
	for _, each := range changing {
		said = each.expression.ReplaceAllString(said, each.by)
	}
	said = strings.ReplaceAll(said, s.Cmd.Dir, "FOLDER")
	return fmt.Sprintf("%s\n[exit code %d]\n", strings.TrimRight(said, "\n"), s.Cmd.ProcessState.ExitCode())
}

// hold compares what a session showed with the file of this role.
func hold(t *testing.T, role, name, shown string) {
	t.Helper()
	file := filepath.Join("testdata", role, name+".txt")
	if *update {
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(shown), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if string(want) != shown {
		t.Errorf("%s, as %s: shown is\n%s\nand the file has\n%s", name, role, shown, want)
	}
}

// command is `kubectl steward` in a folder of its own, with a bare environment.
func command(t *testing.T, kubeconfig string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(shared.KubectlDir(), "kubectl"), append([]string{"steward"}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + cmd.Dir, "PATH=" + pluginDir + ":/usr/bin:/bin", "TERM=xterm", "NO_COLOR=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

func (each session) play(t *testing.T, role, kubeconfig string) {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	run, err := terminal.Start(command(t, kubeconfig, strings.Fields(strings.ReplaceAll(each.args, "ROOT", root))...), 40, 100)
	must(t, err)
	t.Cleanup(run.Close)
	ended := time.After(patience)
	if each.types != "" && asks(run, ended) {
		must(t, run.Type(each.types))
	}
	select {
	case <-run.Done:
	case <-ended:
		t.Fatalf("%s: still running: %q", each.args, run.Output())
	}
	hold(t, role, each.name, strings.ReplaceAll(told(run, each.args), root, "ROOT"))
}

// asks waits for a question; whoever is refused before is not asked.
func asks(run *terminal.Session, ended <-chan time.Time) bool {
	const glance = 50 * time.Millisecond
	for !strings.Contains(run.Output(), "[y/N]") {
		select {
		case <-run.Done:
			return false
		case <-ended:
			return false
		case <-time.After(glance):
		}
	}
	return true
}

// What each command shows in a terminal, to each kind of user.
func TestGolden(t *testing.T) {
	s := newScene(t, shared.Any, olm.Finalizer)
	roles := users(t)
	s.known(t, "NotOptedIn", "NotOptedIn")
	s.copied(t)
	for role, kubeconfig := range roles {
		for _, each := range sessions {
			t.Run(role+"/"+each.name, func(t *testing.T) { each.play(t, role, kubeconfig) })
		}
	}
	s.changes(t, "administrator", roles["administrator"], "")
}

// The same on a store of its own, where everybody is an administrator.
func TestGolden_Up(t *testing.T) {
	up, err := embedded.Start(filepath.Join(t.TempDir(), "data"))
	must(t, err)
	t.Cleanup(func() { must(t, up.Stop(patience)) })
	must(t, installDefinitions(t.Context(), up.Any))
	s := newScene(t, up.Any)
	s.known(t, "NotOptedIn", "NotOptedIn")
	for _, each := range sessions {
		t.Run(each.name, func(t *testing.T) { each.play(t, "up", up.Kubeconfig) })
	}
	// Nobody makes or deletes copies there.
	s.changes(t, "up", up.Kubeconfig, " --wait=false")
}

// changes plays the sessions that change something, one after the other.
func (s *scene) changes(t *testing.T, role, kubeconfig, unfollowed string) {
	t.Helper()
	play := func(name, args, types string) {
		t.Helper()
		session{name, args, types}.play(t, role, kubeconfig)
	}
	play("yes-copied-csvs-off", "copied-csvs off"+unfollowed, "y\n")
	play("yes-copied-csvs-off-status", "copied-csvs status", "")
	play("yes-copied-csvs-off-again", "copied-csvs off"+unfollowed, "y\n")
	play("yes-copied-csvs-on", "copied-csvs on"+unfollowed, "y\n")

	s.optIn(t)
	s.known(t, "Ready", "RightsHeld")
	play("opted-in-status", "status "+goldenCSV, "")
	play("opted-in-abort", "abort "+goldenCSV, "y\n")
	s.known(t, "NotOptedIn", "NotOptedIn")

	folder := filepath.Join(t.TempDir(), "saved")
	play("yes-uninstall", "uninstall "+goldenCSV+" --cleanup --save="+folder, "y\n")
	play("yes-restore", "restore "+folder, "y\n")
	play("yes-restore-again", "restore "+folder, "y\n")

	// An operator that does not finish the only custom resource that is left.
	s.install(t)
	for _, each := range [][2]string{{"a-golden", "y"}, {"b-golden", "x"}} {
		must(t, s.client.Resource(widgets).Namespace(each[0]).Delete(t.Context(), each[1], metav1.DeleteOptions{}))
	}
	s.left(t, "a-golden/x", namespace+"/elsewhere")
	must(t, olm.Mutate(t.Context(), s.client, widgets, "a-golden", "x", func(widget *olm.Object) { widget.SetFinalizers([]string{holding}) }))
	s.known(t, "NotOptedIn", "NotOptedIn")
	s.optIn(t)
	s.known(t, "Ready", "RightsHeld")
	must(t, s.client.Resource(olm.CSVs).Namespace(namespace).Delete(t.Context(), csvName, metav1.DeleteOptions{}))
	s.known(t, "Deleting", "WaitingOnCleanup")
	play("cleanup-status", "status "+goldenCSV, "")
	play("cleanup-status-all", "status -A", "")
	play("cleanup-abort", "abort "+goldenCSV, "y\n")
	s.gone(t)
}
