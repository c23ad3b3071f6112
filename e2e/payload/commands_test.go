package payload_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
	"steward.dev/e2e/terminal"
)

// run runs bin/steward, and returns what it prints and its exit code.
func run(t *testing.T, args ...string) (printed, said string, code int) {
	t.Helper()
	binary, err := cluster.Binary()
	must(t, err)
	command := exec.CommandContext(t.Context(), binary, args...)
	command.Env = append(os.Environ(), "HOME="+t.TempDir())
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err = command.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), command.ProcessState.ExitCode()
}

// succeeds returns all that a run says that ends well.
func succeeds(t *testing.T, args ...string) string {
	t.Helper()
	printed, said, code := run(t, args...)
	if code != 0 {
		t.Errorf("steward %s: exit code %d\n%s%s", strings.Join(args, " "), code, printed, said)
	}
	return printed + said
}

// fails returns all that a run says that ends with this code.
func fails(t *testing.T, want int, args ...string) string {
	t.Helper()
	printed, said, code := run(t, args...)
	if code != want {
		t.Errorf("steward %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, want, printed, said)
	}
	return printed + said
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}

// folder writes a release into a folder of a release's form.
func (s *scene) folder(version string, wanted files) string {
	s.Helper()
	dir := s.TempDir()
	for name, text := range wanted.and(files{"release-metadata": metadata(version)}) {
		must(s.T, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// previewed is what `steward payload preview` says of one object.
type previewed struct {
	Where, Group, Kind, Namespace, Name, Action, Reason string
	Fields                                              []string
	Goes                                                []struct {
		Resource string
		Count    int
	}
}

// preview of a folder, by kind and name; it ends with this code.
func preview(t *testing.T, folder string, want int) map[string]previewed {
	t.Helper()
	printed, said, code := run(t, "payload", "preview", folder, "-o", "json", "--kubeconfig", shared.Admin)
	if code != want {
		t.Fatalf("exit code %d, want %d: %s", code, want, said)
	}
	var document struct{ Objects []previewed }
	if err := json.Unmarshal([]byte(printed), &document); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	byName := map[string]previewed{}
	for _, each := range document.Objects {
		byName[each.Kind+" "+each.Name] = each
	}
	return byName
}

// What is wrong is named by file and line, without a cluster.
func TestCommands_Lint(t *testing.T) {
	s := newScene(t)
	good := files{"0000_10_some_a.yaml": docs(applied(configMap("a", "a")), deleted(configMap("a", "b")))}
	contains(t, succeeds(t, "payload", "lint", s.folder("4.5.0", good)), "in order")
	bad := good.and(files{"0000_20_some_b.yaml": docs(applied(configMap("a", "c")), annotated(applied(configMap("a", "d")), deletion, "yes"))})
	contains(t, fails(t, 1, "payload", "lint", s.folder("4.5.0", bad)), "0000_20_some_b.yaml:", `"yes"`)
}

// A preview says what would become of each object, and changes nothing; then apply does that.
func TestCommands_PreviewAndApply(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	goes, same, changes := configMap(where, "goes"), configMap(where, "same"), configMap(where, "changes")
	dropped, doomed := configMap(where, "left-out"), namespaced(s.name+"-doomed")
	s.there(goes, doomed, configMap(doomed.GetName(), "one"), configMap(doomed.GetName(), "two"), serviceAccount(doomed.GetName(), "three"))
	operator := olm.CSV("some.v1", olm.OperatorGroup(where, "group"))
	operator.SetNamespace(where)
	operator.SetFinalizers([]string{"operatorframework.io/delete-custom-resources"})
	s.there(operator)
	csv := object("operators.coreos.com/v1alpha1", "ClusterServiceVersion", where, "some.v1", nil)

	first := s.folder("4.5.0", files{"0000_10_some_a.yaml": docs(applied(same), applied(changes))})
	plain := succeeds(t, "payload", "apply", first, "--yes", "--kubeconfig", shared.Admin)
	if strings.Contains(plain, "\x1b") || strings.Contains(plain, "\r") {
		t.Errorf("escapes where no terminal is: %q", plain)
	}
	s.all(same, changes)
	if r := s.record(); r.Version != "4.5.0" || r.Completed == "" {
		t.Errorf("the record is %+v", r)
	}

	next := files{
		"0000_10_some_a.yaml": docs(applied(same), applied(with(changes, "a", "2")), applied(configMap(where, "new"))),
		"0000_20_some_b.yaml": docs(deleted(goes), deleted(configMap(where, "absent"))),
		"0000_30_some_c.yaml": docs(deleted(doomed), dropped), "0000_30_some_d.yaml": docs(deleted(csv)),
	}
	folder := s.folder("4.5.1", next)
	before := s.record()
	versions := s.found(changes).GetResourceVersion()
	seen := preview(t, folder, 1)
	for name, action := range map[string]string{
		"ConfigMap same": "unchanged", "ConfigMap changes": "update", "ConfigMap new": "create", "ConfigMap goes": "delete",
		"ClusterServiceVersion some.v1": "refused", "Namespace " + doomed.GetName(): "delete", "ConfigMap left-out": "left out",
	} {
		if seen[name].Action != action {
			t.Errorf("%s: %+v, want %s", name, seen[name], action)
		}
	}
	if !slices.ContainsFunc(seen["ConfigMap changes"].Fields, func(field string) bool { return strings.Contains(field, "data") }) {
		t.Errorf("the fields are %q", seen["ConfigMap changes"].Fields)
	}
	counts := map[string]int{}
	for _, each := range seen["Namespace "+doomed.GetName()].Goes {
		counts[each.Resource] = each.Count
	}
	if counts["configmaps"] < 2 || counts["serviceaccounts"] < 1 {
		t.Errorf("what goes with the namespace is %v", counts)
	}
	contains(t, fails(t, 1, "payload", "preview", folder, "--kubeconfig", shared.Admin),
		"create "+identity(configMap(where, "new")), "delete "+identity(goes), "objects go with it", "unchanged "+identity(same))
	if now := s.record(); now.Hash != before.Hash || s.found(changes).GetResourceVersion() != versions {
		t.Error("the preview changed something")
	}
	s.all(goes, doomed)

	// One removal is refused, and nothing stands behind it.
	contains(t, fails(t, 1, "payload", "apply", folder, "--yes", "--kubeconfig", shared.Admin), identity(csv))
	s.gone(goes, doomed)
	s.all(csv, same, configMap(where, "new"))
	if value := dataOf(s.found(changes), "a"); value != "2" {
		t.Errorf("the data is %q", value)
	}
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, where, "some.v1", func(live *olm.Object) { live.SetFinalizers(nil) }))
	succeeds(t, "payload", "apply", folder, "--yes", "--kubeconfig", shared.Admin)
	s.gone(csv)
	for _, each := range preview(t, s.folder("4.5.1", files{"0000_10_some_a.yaml": next["0000_10_some_a.yaml"]}), 0) {
		if each.Action != "unchanged" {
			t.Errorf("%+v, want unchanged", each)
		}
	}
}

// Preview and apply need no more rights than what they do; what is missing is said before anything is written.
func TestCommands_ApplyUnderNarrowRights(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	secret := object("v1", "Secret", where, "some", map[string]any{"stringData": map[string]any{"a": "b"}})
	folder := s.folder("4.5.0", files{"0000_10_some_a.yaml": docs(applied(configMap(where, "first"))), "0000_20_some_b.yaml": docs(applied(secret))})
	printed, said, code := run(t, "payload", "apply", folder, "--yes", "--kubeconfig", account)
	if code == 0 {
		t.Error("it ended well")
	}
	contains(t, printed+said, "secrets")
	if _, err := shared.Kube.CoreV1().ConfigMaps(where).Get(t.Context(), "first", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("something was written: %v", err)
	}
}

// An object whose deletion waits forbids the minor update, by name, and no patch.
func TestCommands_Preflight(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	held := finalized(configMap(where, "held"))
	s.there(held)
	release := files{"0000_10_some_a.yaml": docs(deleted(held))}
	succeeds(t, "payload", "apply", s.folder("4.5.0", release), "--yes", "--kubeconfig", shared.Admin)
	if state := s.record().of(held).State; state != "Ongoing" && state != "Initiated" {
		t.Errorf("the removal is %s", state)
	}
	minor, patch := s.folder("4.6.0", files{"0000_10_some_b.yaml": docs(applied(configMap(where, "new")))}), s.folder("4.5.1", release)
	contains(t, fails(t, 1, "payload", "preflight", minor, "--kubeconfig", shared.Admin), identity(held))
	contains(t, succeeds(t, "payload", "preflight", minor, "--force", "--kubeconfig", shared.Admin), identity(held))
	succeeds(t, "payload", "preflight", patch, "--kubeconfig", shared.Admin)
	s.releases(held)
	s.gone(held)
	succeeds(t, "payload", "apply", patch, "--yes", "--kubeconfig", shared.Admin)
	succeeds(t, "payload", "preflight", minor, "--kubeconfig", shared.Admin)
	began := time.Now()
	succeeds(t, "payload", "preflight", minor, "--kubeconfig", shared.Admin)
	s.writesNothing(began)
}

// In a terminal it draws how far it is, in place.
func TestCommands_ApplyInATerminal(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	hold := holds(t, "CREATE", "slow")
	folder := s.folder("4.5.0", files{"0000_10_some_a.yaml": docs(
		applied(configMap(where, "first")), applied(seen(configMap(where, "slow"))), applied(configMap(where, "last")))})
	ours, theirs, err := terminal.Open(40, 100)
	must(t, err)
	defer ours.Close()
	binary, err := cluster.Binary()
	must(t, err)
	command := exec.CommandContext(t.Context(), binary, "payload", "apply", folder, "--yes", "--kubeconfig", account)
	command.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERM=xterm")
	command.Stdin, command.Stdout, command.Stderr = theirs, theirs, theirs
	must(t, command.Start())
	must(t, theirs.Close())
	output := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(ours) // an error is the end of a terminal
		output <- string(text)
	}()
	hold.waits(t)
	hold.lets()
	must(t, command.Wait())
	said := <-output
	screen := strings.Join(terminal.Screen(said), "\n")
	t.Logf("the screen at the end:\n%s", screen)
	if !strings.Contains(said, "1/3") && !strings.Contains(said, "1 of 3") || !strings.Contains(said, "\x1b[") {
		t.Errorf("no progress was drawn: %q", said)
	}
}
