package plugin_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
	"steward.dev/e2e/terminal"
)

var update = flag.Bool("update", false, "write the sessions of testdata/golden instead of comparing with them")

// session is a use of a command in a terminal.
type session struct {
	name  string // of its file
	args  string // behind `kubectl steward`
	types string // the answer to its question; "" = it asks nothing
}

// goldenCSV is how each session names the operator: in the namespace ops-golden.
const goldenCSV = csvName + " -n ops-golden"

// sessions change nothing, so every role can have them.
var sessions = []session{
	{"help", "--help", ""},
	{"status-all", "status -A", ""},
	{"status", "status -n ops-golden", ""},
	{"status-of", "status " + goldenCSV, ""},
	{"why", "why a-golden", ""},
	{"why-not", "why default " + csvName, ""},
	{"tree", "tree " + goldenCSV, ""},
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
	{regexp.MustCompile(`was there last \S+ ago`), "was there last AGE ago"},
	{regexp.MustCompile(`(?m)(Client|Server|Kubernetes) Version: .*$`), "$1 Version: VERSION"},
	{regexp.MustCompile(`/\S+/saved\b`), "SAVED"},
	{regexp.MustCompile(`(?m)[ \t]+$`), ""},
}

// told is what stands on a screen at the end, without what is different each time.
func (s *screen) told(code int, args string) string {
	said := "$ kubectl steward " + args + "\n" + strings.Join(terminal.Screen(s.output.String()), "\n")
	for _, each := range changing {
		said = each.expression.ReplaceAllString(said, each.by)
	}
	said = strings.ReplaceAll(said, s.cmd.Dir, "FOLDER")
	return fmt.Sprintf("%s\n[exit code %d]\n", strings.TrimRight(said, "\n"), code)
}

// hold compares what a session showed with the file of this role.
func hold(t *testing.T, role, name, shown string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", role, name+".txt")
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

func (each session) play(t *testing.T, role, kubeconfig string) {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	args := strings.Fields(strings.ReplaceAll(each.args, "ROOT", root))
	run := openAs(t, kubeconfig, []string{"TERM=xterm", "NO_COLOR=1"}, args...)
	if each.types != "" {
		// Whoever is refused before is not asked.
		for asked := time.Now(); !strings.Contains(run.output.String(), "[y/N]") && time.Since(asked) < patience; time.Sleep(glance) {
			select {
			case <-run.done:
				asked = asked.Add(-patience)
			default:
			}
		}
		_, _ = run.ours.WriteString(each.types)
	}
	select {
	case <-run.done:
	case <-time.After(patience):
		t.Fatalf("%s: still running: %q", each.args, run.output.String())
	}
	shown := run.told(run.cmd.ProcessState.ExitCode(), each.args)
	hold(t, role, each.name, strings.ReplaceAll(shown, root, "ROOT"))
}

// bind gives a user one of Kubernetes' own roles in a namespace.
func bind(t *testing.T, user, role, namespace string) {
	t.Helper()
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: "rbac.authorization.k8s.io", Kind: "User", Name: user}},
	}
	_, err := shared.Kube.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{})
	must(t, err)
}

// What each command shows in a terminal, to each kind of user. Not parallel: nothing else is in the cluster then.
func TestGolden(t *testing.T) {
	s := newSceneCalled(t, "golden")
	s.operands(t)
	s.known(t, "NotOptedIn")
	roles := map[string]string{"administrator": shared.Admin}
	for name, namespaces := range map[string][]string{"editor": {"ops-golden", "a-golden", "b-golden"}, "tenant": {"a-golden"}} {
		kubeconfig, err := shared.User(name + "-of-golden")
		must(t, err)
		for _, namespace := range namespaces {
			bind(t, name+"-of-golden", map[string]string{"editor": "edit", "tenant": "view"}[name], namespace)
		}
		roles[name] = kubeconfig
	}
	eventually(t, func() error {
		_, err := shared.KubectlAs(t.Context(), roles["tenant"], "get", "installedoperators", "-n", "a-golden")
		return err
	})
	for role, kubeconfig := range roles {
		for _, each := range sessions {
			t.Run(role+"/"+each.name, func(t *testing.T) { each.play(t, role, kubeconfig) })
		}
	}
	// What changes something, as whoever may.
	s.operate(t, 0)
	folder := filepath.Join(t.TempDir(), "saved")
	for _, each := range []session{
		{"uninstall", "uninstall " + goldenCSV + " --cleanup --save=" + folder, "y\n"},
		{"restore", "restore " + folder, "y\n"},
	} {
		each.play(t, "administrator", shared.Admin)
	}
}

// The same on a store of its own, where everybody is an administrator.
func TestGolden_Up(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	dir := t.TempDir()
	manifests := filepath.Join(dir, "manifests.yaml")
	text := strings.NewReplacer("carts.v1", csvName, "namespace: ops}", "namespace: ops-golden}", "name: ops}", "name: ops-golden}", "shop", "a-golden").Replace(upManifests)
	must(t, os.WriteFile(manifests, []byte(text), 0o644))
	up, err := embedded.Start(filepath.Join(dir, "data"), "--load", filepath.Join(root, "examples", "crds"), "--load", manifests)
	must(t, err)
	t.Cleanup(func() { must(t, up.Stop(patience)) })
	for _, each := range sessions {
		t.Run(each.name, func(t *testing.T) { each.play(t, "up", up.Kubeconfig) })
	}
}
