package inspect_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"steward.dev/e2e/cluster"
)

// inspection is one run of `steward inspect`.
type inspection struct {
	stdout, stderr string
	code           int
}

// command is `steward inspect ARGS` with a bare environment, in which kubectl and `kubectl steward` are, and whose temporary folder
// must be empty at its end.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := cluster.Binary()
	must(t, err)
	plugins, temporary := t.TempDir(), t.TempDir()
	must(t, os.Symlink(binary, filepath.Join(plugins, "kubectl-steward")))
	cmd := exec.Command(binary, append([]string{"inspect"}, args...)...)
	cmd.Env = []string{"HOME=" + plugins, "TMPDIR=" + temporary, "KUBECONFIG=/nowhere",
		"PATH=" + shared.KubectlDir() + ":" + plugins + ":/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	t.Cleanup(func() {
		left, err := os.ReadDir(temporary)
		if err != nil || len(left) > 0 {
			t.Errorf("the temporary folder holds %v, %v", left, err)
		}
	})
	return cmd
}

func inspect(t *testing.T, args ...string) inspection {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := command(t, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return inspection{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// live runs a script with kubectl on the cluster itself.
func live(t *testing.T, script string) string {
	t.Helper()
	binary, err := cluster.Binary()
	must(t, err)
	plugins := t.TempDir()
	must(t, os.Symlink(binary, filepath.Join(plugins, "kubectl-steward")))
	cmd := exec.Command("sh", "-ec", script)
	cmd.Env = []string{"HOME=" + plugins, "KUBECONFIG=" + shared.Admin, "PATH=" + shared.KubectlDir() + ":" + plugins + ":/usr/bin:/bin"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, err.(*exec.ExitError).Stderr)
	}
	return string(out)
}

// withoutVersions reads JSON documents, one after the other, and drops metadata.resourceVersion.
func withoutVersions(t *testing.T, text string) (documents []map[string]any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	for decoder.More() {
		var document map[string]any
		must(t, decoder.Decode(&document))
		for _, item := range append([]any{document}, document["items"].([]any)...) {
			delete(item.(map[string]any)["metadata"].(map[string]any), "resourceVersion")
		}
		documents = append(documents, document)
	}
	return documents
}

func TestADumpHasTheInstalledOperatorsOfItsCluster(t *testing.T) {
	reads := []string{"kubectl get installedoperators -A -o json"}
	for _, namespace := range append(append([]string{"default"}, homes...), spaces...) {
		reads = append(reads, "kubectl get installedoperators -o json -n "+namespace)
	}
	reads = append(reads, "kubectl get planpreviews -A -o json", "kubectl get cleanupstatuses -A -o json")
	script := strings.Join(reads, "\n")
	want := withoutVersions(t, live(t, script))
	if count := len(want[0]["items"].([]any)); count < 10 {
		t.Fatalf("the cluster shows only %d InstalledOperators", count)
	}
	const people = `kubectl steward why ins-blue
kubectl steward why ins-red picked.v1.1.0
kubectl steward tree named.v1.0.0 -n ins-named
kubectl steward status -A | sed 's, *[^ ]*$,,'
kubectl get csv -A -o custom-columns=NS:.metadata.namespace,NAME:.metadata.name,UID:.metadata.uid,FROM:.metadata.labels.olm\\.copiedFrom,SINCE:.metadata.creationTimestamp
kubectl get ns -L picked --no-headers -o custom-columns=NAME:.metadata.name,UID:.metadata.uid
kubectl get widgets -A -o yaml | grep -v resourceVersion
kubectl get subscriptions,installplans,operatorgroups -A -o name`
	said := live(t, people)
	for name, path := range dumps(t) {
		t.Run(name, func(t *testing.T) {
			run := inspect(t, path, "--", "sh", "-ec", script)
			if run.code != 0 {
				t.Fatalf("exit code %d: %s", run.code, run.stderr)
			}
			for i, got := range withoutVersions(t, run.stdout) {
				if !reflect.DeepEqual(got, want[i]) {
					t.Errorf("%s:\ngot  %v\nwant %v", reads[i], got, want[i])
				}
			}
			if !strings.Contains(run.stderr, "  4 clusterserviceversions.operators.coreos.com, and 9 copies that OLM made\n") {
				t.Errorf("the summary does not tell copies from originals:\n%s", run.stderr)
			}
			for _, wrong := range []string{"cut off", "cannot be used", "more than once", "missing", "assumed", "left out"} {
				if strings.Contains(run.stderr, wrong) {
					t.Errorf("a whole dump has something wrong:\n%s", run.stderr)
				}
			}
			if run := inspect(t, path, "--", "sh", "-ec", people); run.stdout != said {
				t.Errorf("got\n%s\nwant\n%s\n%s", run.stdout, said, run.stderr)
			}
		})
	}
}

func TestADumpIsOnlyRead(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "dump")
	gather(t, folder, asLists)
	for _, write := range []string{
		"kubectl delete csv -n ins-own alone.v2.0.0",
		"kubectl label namespace ins-red picked=yes --overwrite",
		"kubectl create namespace more",
		"kubectl annotate widgets -n ins-red w a=b",
		"kubectl get ns ins-red -o json | kubectl replace -f -",
		"kubectl delete installedoperators -n ins-own alone.v2.0.0",
	} {
		run := inspect(t, folder, "--", "sh", "-c", write)
		if run.code == 0 || !strings.Contains(run.stderr, "this is a dump, which is only read") {
			t.Errorf("%s: exit code %d, %s%s", write, run.code, run.stdout, run.stderr)
		}
	}
	run := inspect(t, folder, "--", "sh", "-c", `kubectl auth can-i delete csv -A; kubectl auth can-i list csv -A
kubectl api-resources --verbs=delete -o name; kubectl api-resources --verbs=patch -o name; kubectl api-resources --verbs=create -o name | sort`)
	want := "no - this is a dump, which is only read\nyes\nplanpreviews.views.operators.coreos.com\n" +
		"selfsubjectaccessreviews.authorization.k8s.io\nselfsubjectrulesreviews.authorization.k8s.io\n"
	if run.stdout != want {
		t.Errorf("got %q, want %q; %s", run.stdout, want, run.stderr)
	}
	for _, question := range []string{
		"kubectl get --raw /apis/views.operators.coreos.com/v1alpha1/namespaces/ins-named/cleanupstatuses/named.v1.0.0/pending",
		"kubectl logs -n ins-red web-0",
		"kubectl steward preview plan install-named -n ins-named",
	} {
		begun := time.Now()
		run := inspect(t, folder, "--", "sh", "-c", question)
		if run.code == 0 || !strings.Contains(run.stderr, "this is a dump: only a live cluster can say that") {
			t.Errorf("%s: exit code %d, %s%s", question, run.code, run.stdout, run.stderr)
		}
		if waited := time.Since(begun); waited > 30*time.Second {
			t.Errorf("%s: the answer took %s", question, waited)
		}
	}
}

func TestWhatIsWrongWithADumpIsTold(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "dump")
	gather(t, folder, asLists)
	in := func(path ...string) string { return filepath.Join(append([]string{folder}, path...)...) }
	csvsOf := func(namespace string) string {
		return in("namespaces", namespace, "operators.coreos.com", "clusterserviceversions.yaml")
	}
	// The file of a list that ends in the middle of its only object.
	cut := csvsOf("ins-own")
	content, err := os.ReadFile(cut)
	must(t, err)
	must(t, os.WriteFile(cut, content[:bytes.LastIndex(content, []byte("\n  spec:"))+5], 0o644))
	cutLine := 1 + bytes.Count(content[:bytes.LastIndex(content, []byte("\n  spec:"))+1], []byte("\n"))
	// A file without its original, of which there are copies.
	must(t, os.Remove(csvsOf("ins-all")))
	// An object again, newer and changed.
	list := in("namespaces", "ins-red", "inspect.example.com", "widgets.yaml")
	again := in("namespaces", "ins-red", "inspect.example.com", "widgets", "w.yaml")
	write(t, again, map[string]any{
		"apiVersion": "inspect.example.com/v1", "kind": "Widget", "spec": map[string]any{"size": 4},
		"metadata": map[string]any{"name": "w", "namespace": "ins-red", "resourceVersion": "99999999"},
	})
	// A namespace that is nowhere.
	must(t, os.Remove(in("namespaces", "ins-green", "ins-green.yaml")))
	namespaces := in("cluster-scoped-resources", "core", "namespaces.yaml")
	must(t, os.Remove(namespaces))
	broken := in("broken.yaml")
	must(t, os.WriteFile(broken, []byte("kind: A\nb: [\nc: d\n"), 0o644))
	empty := in("namespaces", "ins-red", "core", "configmaps.yaml")
	must(t, os.MkdirAll(filepath.Dir(empty), 0o755))
	must(t, os.WriteFile(empty, nil, 0o644))
	unknown := in("unknown.yaml")
	must(t, os.WriteFile(unknown, []byte("apiVersion: example.org/v1\nkind: Unknown\nmetadata:\n  name: a\n"), 0o644))

	run := inspect(t, folder, "--show", "100", "--", "kubectl", "get", "widgets", "-n", "ins-red", "w", "-o", "jsonpath={.spec.size}")
	if run.code != 0 || run.stdout != "4" {
		t.Errorf("exit code %d, size %q: the newer object does not count", run.code, run.stdout)
	}
	for _, want := range []string{
		"2 files are cut off:\n",
		fmt.Sprintf("  %s:%d: ends in the middle", cut, cutLine),
		fmt.Sprintf("  %s:1: is empty\n", empty),
		fmt.Sprintf("  %s:", broken),
		fmt.Sprintf("  %s:%d: Widget ins-red/w was there before, which counts\n", list, lineOf(t, list, "- apiVersion")),
		"1 object is missing:\n",
		"ClusterServiceVersion ins-all/everywhere.v1.0.0, of which 6 copies are here\n",
		"1 namespace is assumed",
		": ins-green\n",
		"1 kind is left out,",
		fmt.Sprintf("  %s:1: Unknown of example.org/v1, 1 object\n", unknown),
	} {
		if !strings.Contains(run.stderr, want) {
			t.Errorf("the summary has no %q", want)
		}
	}
	if strings.Contains(run.stderr, "Cannot read") {
		t.Error("an object that is shown cannot be read")
	}
	if t.Failed() {
		t.Log(run.stderr)
	}
	tar := folder + ".tar.gz"
	out, err := exec.Command("sh", "-c", "tar -C "+filepath.Dir(folder)+" -czf - dump | head -c 20000 > "+tar).CombinedOutput()
	if err != nil {
		t.Fatalf("tar: %v: %s", err, out)
	}
	if run := inspect(t, tar, "--", "kubectl", "get", "ns", "-o", "name"); run.code != 0 || !strings.Contains(run.stderr, tar+" is cut off or damaged") {
		t.Errorf("a tar that is cut off: exit code %d, %s", run.code, run.stderr)
	}
}

func TestTheCommandsEndIsTheEnd(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "dump")
	gather(t, folder, asLists)
	nothing := t.TempDir()
	text := filepath.Join(nothing, "text.log")
	must(t, os.WriteFile(text, []byte("no dump\n"), 0o644))
	for _, each := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{folder, "--", "sh", "-c", "exit 7"}, 7, ""},
		{[]string{folder, "--", "sh", "-c", "kill -KILL $$"}, 128 + 9, ""},
		{[]string{folder, "--", "no-such-command"}, 127, "steward inspect: no-such-command: "},
		{[]string{folder, "--", nothing}, 126, "steward inspect: "},
		{[]string{filepath.Join(nothing, "absent")}, 2, "there is no " + filepath.Join(nothing, "absent")},
		{[]string{nothing}, 2, "is no dump"},
		{[]string{text}, 2, "is no tar, plain or packed by gzip"},
		{[]string{}, 2, "PATH is required"},
	} {
		run := inspect(t, each.args...)
		if run.code != each.code || !strings.Contains(run.stderr, each.says) || run.stdout != "" {
			t.Errorf("%v: exit code %d, want %d; %s%s", each.args, run.code, each.code, run.stdout, run.stderr)
		}
	}

	cmd := command(t, folder, "--", "sh", "-c", `trap 'exit 9' TERM; echo begun; while :; do sleep 0.1; done`)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	waitFor(t, stdout, "begun")
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 9 {
		t.Errorf("after SIGTERM: exit code %d, want the command's", code)
	}
}

func TestItServesUntilASignal(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "dump")
	gather(t, folder, asObjects)
	cmd := command(t, folder)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	kubeconfig := strings.TrimPrefix(waitFor(t, stdout, "KUBECONFIG="), "KUBECONFIG=")
	out, err := cluster.RunKubectl(t.Context(), t.TempDir(), kubeconfig, nil, "get", "installedoperators", "-n", "ins-own", "-o", "name")
	if err != nil || !strings.Contains(out, "installedoperator.views.operators.coreos.com/alone.v2.0.0") {
		t.Errorf("%v: %s", err, out)
	}
	must(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("after SIGINT: exit code %d", code)
	}
}

// waitFor reads lines up to one that begins with a text.
func waitFor(t *testing.T, from interface{ Read([]byte) (int, error) }, begin string) string {
	t.Helper()
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), begin) {
			return lines.Text()
		}
	}
	t.Fatalf("it ended without %q", begin)
	return ""
}
