package chart

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const namespace = "steward-system"

// A life with the chart, by the commands of docs/install.md. There is no node: Steward's processes, and the Job that looks before an
// uninstallation, are run by the test under the accounts of their pods.
func TestLife_ByTheDocumentedCommands(t *testing.T) {
	l := start(t)
	before := l.objects(t)

	l.run(t, "kubectl apply -f deploy/base/namespace.yaml")
	l.run(t, "helm install steward bin/image/steward-chart-*.tgz --namespace steward-system --values my-values.yaml")
	l.runSteward(t)
	deployment := l.deployment(t, "steward-controllers")
	want := "registry.example.com/steward:1.2.3-g0be96ef@sha256:" + digest
	if image := deployment.Spec.Template.Spec.Containers[0].Image; image != want {
		t.Errorf("the image is %s, and not %s", image, want)
	}
	registered := l.registration(t)

	l.run(t, "helm upgrade steward bin/image/steward-chart-*.tgz --namespace steward-system --values my-values.yaml --set controllers.replicas=3")
	if deployment := l.deployment(t, "steward-controllers"); *deployment.Spec.Replicas != 3 {
		t.Errorf("upgraded, there are %d replicas", *deployment.Spec.Replicas)
	}
	l.run(t, "helm rollback steward --namespace steward-system")
	if deployment := l.deployment(t, "steward-controllers"); *deployment.Spec.Replicas != 2 {
		t.Errorf("rolled back, there are %d replicas", *deployment.Spec.Replicas)
	}
	must(t, l.WaitAvailable(t.Context()))
	if again := l.registration(t); again != registered {
		t.Error("an upgrade has another APIService made")
	}

	// The namespace is protected as long as there is an APIService.
	if out, err := l.shell(t.Context(), "kubectl delete namespace steward-system --dry-run=server"); err == nil || !strings.Contains(out, "run kubectl steward remove") {
		t.Errorf("the namespace can be deleted: %v %s", err, out)
	}

	l.refusesWhileOptedIn(t)

	l.run(t, "helm uninstall steward --namespace steward-system")
	l.run(t, "kubectl wait --for=delete apiservice/v1alpha1.views.operators.coreos.com --timeout=2m")
	l.run(t, "kubectl delete namespace steward-system")
	if len(l.documented) > 0 {
		t.Errorf("nothing runs %q", l.documented)
	}
	if said := l.said(); len(said) != 2 || !strings.Contains(said[1], "clusterroles.rbac.authorization.k8s.io steward-view") {
		t.Errorf("the Job said %q", said)
	}
	l.isAsBefore(t, before)
}

// An installation by kubectl goes over to Helm, and what Helm has installed is removed by `kubectl steward remove`, also after an
// uninstallation that was refused.
func TestLife_FromKubectlToHelmAndBack(t *testing.T) {
	l := start(t)
	before := l.objects(t)
	if out, err := l.shell(t.Context(), "kubectl apply -k deploy/overlays/standalone"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	l.runSteward(t)
	registered := l.registration(t)
	install := strings.Replace(l.documented[1], "helm install", "helm install --take-ownership", 1)
	if out, err := l.shell(t.Context(), install); err != nil {
		t.Fatalf("%s: %v: %s", install, err, out)
	}
	if image := l.deployment(t, "steward-controllers").Spec.Template.Spec.Containers[0].Image; image == "steward" {
		t.Error("Helm left the image as it was")
	}
	must(t, l.WaitAvailable(t.Context()))
	if again := l.registration(t); again != registered {
		t.Error("Helm has another APIService made")
	}
	// Everything that values add is removed, too.
	all := "{copies: {enabled: true}, installPlans: {enabled: true, optionalManifests: true, bundlePreviews: true}, operators: {enabled: true}, payload: {enabled: true}}"
	values := "image: {repository: registry.example.com/steward}\ncleanup: {allApis: true}\negress: {enabled: true}\nfamilies: " + all + "\n"
	must(t, os.WriteFile(filepath.Join(l.dir, "my-values.yaml"), []byte(values), 0o644))
	if out, err := l.shell(t.Context(), l.documented[2]); err != nil {
		t.Fatalf("%s: %v: %s", l.documented[2], err, out)
	}
	operator := l.optIn(t)
	if out, err := l.shell(t.Context(), "helm uninstall steward --namespace steward-system"); err == nil {
		t.Fatalf("it is uninstalled while an operator is opted in: %s", out)
	}
	program, err := cluster.Binary()
	must(t, err)
	if out, err := l.shell(t.Context(), program+" kubectl remove --yes --release-opt-ins"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	l.deleteNamespace(t, operator)
	l.isAsBefore(t, before)
}

// isAsBefore is when no object of the cluster is left that was not there before, none is gone, and nothing holds up the deletion of
// any namespace.
func (l *life) isAsBefore(t *testing.T, before []string) {
	t.Helper()
	if out, err := l.shell(t.Context(), "kubectl create namespace afterwards && kubectl delete namespace afterwards --timeout=2m"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	eventually(t, func() error {
		after, err := cluster.Objects(t.Context(), l.Config, passing...)
		if err != nil {
			return err
		}
		left := slices.DeleteFunc(slices.Clone(after), func(each string) bool { return slices.Contains(before, each) })
		gone := slices.DeleteFunc(slices.Clone(before), func(each string) bool { return slices.Contains(after, each) })
		if len(left)+len(gone) > 0 {
			return fmt.Errorf("left: %q; gone, and not Steward's: %q", left, gone)
		}
		return nil
	})
	t.Logf("%d objects are as before", len(before))
}

// optIn makes an operator that is opted in to cleanup, in a namespace of its name.
func (l *life) optIn(t *testing.T) (name string) {
	t.Helper()
	name = "opted-in"
	csv := olm.CSV(name, olm.OperatorGroup(name, "own", name), name)
	csv.SetFinalizers([]string{"operatorframework.io/delete-custom-resources"})
	must(t, olm.Create(t.Context(), l.Any, olm.Namespace(name), csv))
	return name
}

func (l *life) deleteNamespace(t *testing.T, name string) {
	t.Helper()
	if out, err := l.shell(t.Context(), "kubectl delete namespace "+name+" --timeout=2m"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// refusesWhileOptedIn is an uninstallation that is refused, and taken back as the document says.
func (l *life) refusesWhileOptedIn(t *testing.T) {
	t.Helper()
	operator := l.optIn(t)
	before := l.objects(t)
	out, err := l.shell(t.Context(), "helm uninstall steward --namespace steward-system")
	if err == nil {
		t.Fatalf("it is uninstalled while an operator is opted in: %s", out)
	}
	const reason = "1 operator opted in to cleanup, which could not be deleted without Steward: opted-in/opted-in"
	if said := l.said(); len(said) != 1 || !strings.Contains(said[0], reason) {
		t.Errorf("the Job said %q; Helm: %s", said, out)
	}
	// But for the Job and its pod, which say why.
	after := slices.DeleteFunc(l.objects(t), func(each string) bool { return strings.Contains(each, "steward-removal-check") })
	if !slices.Equal(after, before) {
		t.Errorf("there was %q, and is %q", before, after)
	}
	must(t, l.WaitAvailable(t.Context()))
	revision, err := l.shell(t.Context(), "helm history steward --namespace steward-system | tail -n 1 | cut -f 1")
	must(t, err)
	rollback := "helm rollback steward " + strings.TrimSpace(revision) + " --namespace steward-system"
	if out, err := l.shell(t.Context(), rollback); err != nil {
		t.Fatalf("%s: %v: %s", rollback, err, out)
	}
	if out, err := l.shell(t.Context(), "helm status steward --namespace steward-system"); err != nil || !strings.Contains(out, "STATUS: deployed") {
		t.Errorf("%v: %s", err, out)
	}
	_, err = l.Any.Resource(olm.CSVs).Namespace(operator).Patch(
		t.Context(), operator, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	must(t, err)
	l.deleteNamespace(t, operator)
}

// life is a cluster, and a folder in which the documented commands are run.
type life struct {
	*cluster.Cluster
	dir, path  string
	documented []string // what was not run yet

	mutex sync.Mutex
	jobs  []string // what each Job said
}

func start(t *testing.T) *life {
	t.Helper()
	kubectl, err := cluster.KubectlPath()
	must(t, err)
	c, err := cluster.Start(t.Context(), cluster.Options{Controllers: []string{
		"namespace", "serviceaccount", "garbagecollector", "clusterrole-aggregation", "job",
	}})
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			c.DumpLogs(os.Stderr, 40)
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	must(t, olm.InstallCRDs(t.Context(), c.Any, root))
	l := &life{Cluster: c, dir: t.TempDir(), path: helmDir + ":" + filepath.Dir(kubectl) + ":/usr/bin:/bin", documented: documented(t)}
	must(t, os.Symlink(filepath.Join(root, "deploy"), filepath.Join(l.dir, "deploy")))
	must(t, os.WriteFile(filepath.Join(l.dir, "my-values.yaml"), []byte("image: {repository: registry.example.com/steward}\n"), 0o644))
	packed(t, l.dir, "1.2.3+g0be96ef")
	ctx, cancel := context.WithCancel(t.Context())
	var jobs sync.WaitGroup
	jobs.Go(func() {
		if err := l.playJobs(ctx); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		jobs.Wait()
	})
	return l
}

// documented are the commands of the section on Helm.
func documented(t *testing.T) (commands []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "install.md"))
	must(t, err)
	_, section, found := strings.Cut(string(text), "\n## With Helm\n")
	section, _, ended := strings.Cut(section, "\n## ")
	if !found || !ended {
		t.Fatal("docs/install.md has no section on Helm")
	}
	for i, block := range strings.Split(section, "\n```") {
		// Those that name a language are no commands.
		if commandsOf, ok := strings.CutPrefix(block, "\n"); ok && i%2 == 1 {
			commands = append(commands, strings.Split(strings.TrimSpace(commandsOf), "\n")...)
		}
	}
	return commands
}

// run runs the next of the documented commands, which is to be this one.
func (l *life) run(t *testing.T, command string) {
	t.Helper()
	if len(l.documented) == 0 || l.documented[0] != command {
		t.Fatalf("what docs/install.md has next is not %q: %q", command, l.documented)
	}
	l.documented = l.documented[1:]
	if out, err := l.shell(t.Context(), command); err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
}

func (l *life) shell(ctx context.Context, command string) (string, error) {
	shell := exec.CommandContext(ctx, "bash", "-c", command)
	shell.Dir = l.dir
	shell.Env = []string{"HOME=" + l.dir, "KUBECONFIG=" + l.Admin, "PATH=" + l.path}
	out, err := shell.CombinedOutput()
	return string(out), err
}

// runSteward runs an API server and the guard under the accounts and with the authority of their pods, until there is an APIService.
func (l *life) runSteward(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	s, err := l.NewSteward("steward")
	must(t, err)
	s.Kubeconfig, err = l.ServiceAccount(ctx, namespace, "steward-apiserver")
	must(t, err)
	// The aggregator calls this machine, as it would call a pod.
	toHere := []byte(`{"spec":{"type":"ExternalName","externalName":"localhost"}}`)
	_, err = l.Kube.CoreV1().Services(namespace).Patch(ctx, "steward-apiserver", types.MergePatchType, toHere, metav1.PatchOptions{})
	must(t, err)
	// What Deployment steward-certificates keeps.
	authority := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "steward-apiservice-guard-metrics", Namespace: namespace}, Data: map[string][]byte{"ca.crt": s.CA()},
	}
	_, err = l.Kube.CoreV1().Secrets(namespace).Create(ctx, authority, metav1.CreateOptions{})
	must(t, err)
	must(t, s.Start())
	must(t, s.WaitReady(ctx))
	kubeconfig, err := l.ServiceAccount(ctx, namespace, "steward-apiservice-guard")
	must(t, err)
	flags := []string{fmt.Sprintf("--apiservice-guard-port=%d", s.Port)}
	for _, each := range l.deployment(t, "steward-apiservice-guard").Spec.Template.Spec.Containers[0].Args {
		if strings.HasPrefix(each, "--reconcilers=") || strings.HasPrefix(each, "--apiservice-guard-ca=") {
			flags = append(flags, each)
		}
	}
	guard, err := l.RunControllersAs(ctx, kubeconfig, "guard", flags...)
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the guard:\n%s", guard.Process.Tail(40))
		}
		guard.Process.Kill()
	})
	must(t, l.WaitAvailable(ctx))
}

// passing kinds come and go by themselves, or are views of others.
var passing = []string{"events", "leases", "endpoints", "endpointslices", "installedoperators", "cleanupstatuses"}

func (l *life) objects(t *testing.T) []string {
	t.Helper()
	found, err := cluster.Objects(t.Context(), l.Config, passing...)
	must(t, err)
	// Helm's record of each revision.
	return slices.DeleteFunc(found, func(each string) bool { return strings.Contains(each, "/sh.helm.release.") })
}

// registration is the UID of the APIService.
func (l *life) registration(t *testing.T) string {
	t.Helper()
	uid, err := l.Kubectl(t.Context(), "get", "apiservice", cluster.APIServiceName, "-o", "jsonpath={.metadata.uid}")
	must(t, err)
	return uid
}
