package previews_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/discovery"

	"steward.dev/e2e/bundles"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const (
	// howMany published bundles are installed and uninstalled.
	howMany = 40
	// refusedExit is how the plugin ends where it refuses.
	refusedExit = 3
)

// explained is a difference between what a preview says and what happens, and why it is none. The pattern is that of
// "OUTCOME KIND NAMESPACE/NAME", with the namespace of the operator as NS.
type explained struct{ pattern, reason string }

// besideInstall is what nobody says beforehand of an installation.
var besideInstall = []explained{
	{`^Create InstallPlan NS/install-`, "the plan itself"},
	{`^Create ConfigMap NS/[0-9a-z]{63}$`, "the bundle's manifests, which belong to the plan"},
	{`^(Create|Update) APIService `, "kube-apiserver registers the API that a definition brings"},
	{`^Update ClusterRole (admin|edit|view)$`, "Kubernetes aggregates roles"},
	{`^Create IPAddress `, "kube-apiserver gives a Service its address"},
	{`^Create copied ClusterServiceVersion `, "the reconciler copied-csvs follows an operator for all namespaces"},
	{`^(Create|Update) copied (Role|RoleBinding|ClusterRole|ClusterRoleBinding) `, "likewise"},
}

// besideUninstall is what nobody says beforehand of an uninstallation.
var besideUninstall = []explained{
	{`^Delete IPAddress `, "it goes with its Service"},
	{`^Update ClusterRole (admin|edit|view)$`, "Kubernetes aggregates roles"},
	{`^Update APIService `, "kube-apiserver writes down whether it serves it"},
	{`^Update OperatorGroup NS/`, "it says which APIs its operators provide"},
}

// failsAsForetold are plans that fail though their preview foretold nothing.
var failsAsForetold = []explained{
	{`spec\.ports: Required value`, "a custom resource of the kind Service: OLM goes by kind, too"},
}

func isExplained(table []explained, text string) bool {
	return slices.ContainsFunc(table, func(row explained) bool { return regexp.MustCompile(row.pattern).MatchString(text) })
}

// publishedBundles are folders of bundles with their own manifests; where there are none, such as are made of the
// ClusterServiceVersions of ../shared with small definitions of what these own.
func publishedBundles(t *testing.T) (paths []string) {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	paths, err = bundles.Newest(t.Context(), root, t.TempDir(), howMany)
	must(t, err)
	if len(paths) > 0 {
		return paths
	}
	csvs, err := olm.RealCSVs(root)
	must(t, err)
	if len(csvs) == 0 {
		t.Skip("there are no published bundles: neither STEWARD_BUNDLES, nor a mirror, nor ../shared/csvs")
	}
	for _, each := range csvs {
		folder := filepath.Join(t.TempDir(), each.GetName())
		must(t, bundles.Write(folder, each, olm.DefinitionsOf(each)))
		paths = append(paths, folder)
	}
	return paths
}

// What is said of published bundles before they are installed, and before they are uninstalled, is what becomes of all objects of the
// cluster.
func TestPublished_R_PRJ_07(t *testing.T) {
	paths := publishedBundles(t)
	counts := map[string]int{}
	for _, path := range paths {
		name := filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
		t.Run(name, func(t *testing.T) {
			b, err := bundles.Read(path)
			must(t, err)
			if b.CSV == nil {
				t.Skip("it has no ClusterServiceVersion")
			}
			if steps, _ := quietly(t, "bundle", "steps", path); strings.Contains(steps, "cannot be installed") {
				t.Logf("nobody can install it: %s", steps)
				counts["refused"]++
				return
			}
			walkBundle(t, b, counts)
			counts["walked"]++
		})
	}
	t.Logf("%d bundles: %v", len(paths), counts)
}

// servesKind says whether the cluster serves a kind.
func servesKind(t *testing.T) func(schema.GroupVersionKind) bool {
	client, err := discovery.NewDiscoveryClientForConfig(shared.Config)
	must(t, err)
	return func(kind schema.GroupVersionKind) bool {
		list, err := client.ServerResourcesForGroupVersion(kind.GroupVersion().String())
		return err == nil && slices.ContainsFunc(list.APIResources, func(each metav1.APIResource) bool { return each.Kind == kind.Kind })
	}
}

// quietly is all that a command prints.
func quietly(t *testing.T, args ...string) (printed string, code int) {
	t.Helper()
	out, said, code := run(t, installer, args...)
	return out + said, code
}

// previewed is a preview that the plugin was asked for; without steps, if there is none.
func previewed(t *testing.T, args ...string) (said preview, code int) {
	t.Helper()
	text, errors, code := run(t, installer, append(append([]string{"kubectl", "preview"}, args...), "-o", "json")...)
	var report struct{ Preview preview }
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatalf("%v: %s%s", err, text, errors)
	}
	if len(report.Preview.Status.Steps) == 0 {
		t.Logf("%q ended with %d: %s%s", args, code, text, errors)
	}
	return report.Preview, code
}

// furnished waits until a namespace has what Kubernetes puts into each.
func furnished(t *testing.T, namespaces ...string) {
	t.Helper()
	eventually(t, func() error {
		for _, each := range namespaces {
			if _, err := shared.Any.Resource(core("serviceaccounts")).Namespace(each).Get(t.Context(), "default", metav1.GetOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// walkBundle previews, installs, compares, previews, uninstalls and compares. `counts` are of the steps that were compared.
func walkBundle(t *testing.T, b *bundles.Bundle, counts map[string]int) {
	id := rand.String(6)
	namespace, other := "published-"+id, "other-"+id
	targets := map[string][]string{"": nil, "own": {namespace}, "other": {other}}[b.Mode()]
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(namespace), olm.Namespace(other)))
	group := olm.OperatorGroup(namespace, "group", targets...)
	must(t, olm.Create(t.Context(), shared.Any, olm.Synced(group, targets...)))
	missing := b.Missing(servesKind(t))
	must(t, olm.CreateCRDs(t.Context(), shared.Any, missing...))
	t.Cleanup(func() { tidy(t, b, missing, namespace, other) })
	furnished(t, namespace, other)

	before := snapshot(t)
	foretold, code := previewed(t, "bundle", b.Path, "-n", namespace)
	switch {
	case len(foretold.Status.Steps) > 0:
	case code == refusedExit:
		t.Log("the bundle is too large for one preview: its plan is asked about")
	default:
		t.Errorf("there is no preview of the bundle: %d", code)
	}
	printed, code := quietly(t, "bundle", "install", b.Path, "-n", namespace, "--ignore-requirements")
	if code != 0 {
		t.Fatalf("the installation ended with %d: %s", code, printed)
	}
	name := regexp.MustCompile(`install-[0-9a-f]{10}`).FindString(printed)
	planned, _ := previewed(t, "plan", name, "-n", namespace)
	if printed, code = quietly(t, "bundle", "install", b.Path, "-n", namespace, "--ignore-requirements", "--approve"); code != 0 {
		t.Fatalf("the approval ended with %d: %s", code, printed)
	}
	phase, message := planEnd(t, namespace, name)
	after := snapshot(t)
	for _, said := range []preview{foretold, planned} {
		if len(said.Status.Steps) > 0 {
			judgeInstall(t, said, phase, message, before, after, namespace, counts)
		}
	}
	if phase == "Complete" {
		walkUninstall(t, b, namespace, after)
	}
}

func walkUninstall(t *testing.T, b *bundles.Bundle, namespace string, before everything) {
	said, code := previewed(t, "uninstall", b.CSV.GetName(), "-n", namespace)
	if code != 0 {
		t.Errorf("the preview of the uninstallation ended with %d: %s", code, said.condition())
	}
	if now := snapshot(t); len(before.unexplained(now, nil, namespace, besideInstall)) > 0 {
		t.Errorf("the preview of an uninstallation changed %v", before.changed(now))
	}
	if printed, code := quietly(t, "kubectl", "uninstall", b.CSV.GetName(), "-n", namespace, "--yes"); code != 0 {
		t.Fatalf("the uninstallation ended with %d: %s", code, printed)
	}
	// The garbage collector needs its time: as long as something that was to go is there, or something still goes.
	var after everything
	eventually(t, func() error {
		last := after
		if after = snapshot(t); len(last.changed(after)) > 0 {
			return errors.New("the cluster is not at rest")
		}
		for _, each := range said.Status.Steps {
			if each.Outcome != "Delete" {
				continue
			}
			if _, is := after[each.written()]; is {
				return fmt.Errorf("%s was to be deleted, and is there", each)
			}
		}
		return nil
	})
	for _, each := range said.Status.Steps {
		if got := before.became(after, each.written()); each.Outcome == "Keep" && got != "Unchanged" && got != "Update" {
			t.Errorf("%s was to be kept, and came to %q", each, got)
		}
	}
	for _, difference := range before.unexplained(after, said.Status.Steps, namespace, besideUninstall) {
		t.Errorf("the uninstallation did more than was said: %s", difference)
	}
}

// unexplained are the changes of objects that no step is about, and that the table has no reason for.
func (e everything) unexplained(later everything, steps []step, namespace string, table []explained) (list []string) {
	said := map[thing]bool{}
	for _, each := range steps {
		said[each.written()] = true
	}
	for _, object := range e.changed(later) {
		text := e.became(later, object) + " "
		if e[object].copied || later[object].copied {
			text += "copied "
		}
		text += strings.ReplaceAll(object.String(), " "+namespace+"/", " NS/")
		if !said[object] && !isExplained(table, text) {
			list = append(list, text)
		}
	}
	return list
}

// judgeInstall compares each step with what became of its object, and all other objects with what they were.
func judgeInstall(t *testing.T, said preview, phase, message string, before, after everything, namespace string, counts map[string]int) {
	t.Helper()
	fails := slices.ContainsFunc(said.Status.Steps, func(each step) bool { return each.Outcome == "Fail" || each.Outcome == "Blocked" })
	switch {
	case (phase == "Complete") == !fails:
	case phase != "Complete" && isExplained(failsAsForetold, message):
		t.Logf("it is %s: %s", phase, message)
		return
	default:
		t.Errorf("that it fails was foretold: %v; it is %s: %s", fails, phase, message)
	}
	for _, each := range said.Status.Steps {
		got := before.became(after, each.written())
		counts[each.Outcome+", by "+each.Basis]++
		want := map[string][]string{
			"Create": {"Create"}, "Update": {"Update"}, "Unchanged": {"Unchanged"}, "NotCreated": {""},
			"Blocked": {"", "Unchanged"}, "Fail": {"", "Unchanged"}, "Unknown": {"", "Create", "Update", "Unchanged"},
		}[each.Outcome]
		if each.Reason == "NeedsEarlierStep" && !fails {
			want = []string{"Create", "Update", "Unchanged"}
		}
		if !slices.Contains(want, got) {
			t.Errorf("step %d came to %q: %s", each.Index+1, got, each)
		}
	}
	for _, difference := range before.unexplained(after, said.Status.Steps, namespace, besideInstall) {
		t.Errorf("the installation did more than was said: %s", difference)
	}
}

// planEnd waits until a plan is at its end.
func planEnd(t *testing.T, namespace, name string) (phase, message string) {
	t.Helper()
	eventually(t, func() error {
		plan, err := shared.Any.Resource(installPlans).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		phase, _, _ = unstructured.NestedString(plan.Object, "status", "phase")
		message, _, _ = unstructured.NestedString(plan.Object, "status", "message")
		if phase != "Complete" && phase != "Failed" {
			return fmt.Errorf("%s is %s: %s", name, phase, message)
		}
		return nil
	})
	return phase, message
}

// tidy takes a bundle's definitions, what it has in the cluster, and its namespaces away, so that snapshots stay small and bundles apart.
func tidy(t *testing.T, b *bundles.Bundle, missing []*olm.Object, namespaces ...string) {
	var names []string
	for _, each := range append(slices.Clone(b.Objects), missing...) {
		if each.GetKind() == "CustomResourceDefinition" {
			names = append(names, each.GetName())
		}
	}
	ctx := context.WithoutCancel(t.Context())
	_ = shared.Any.Resource(olm.CSVs).Namespace(namespaces[0]).Delete(ctx, b.CSV.GetName(), metav1.DeleteOptions{})
	remove(t, olm.Definitions, names...)
	for kind, resource := range map[string]schema.GroupVersionResource{"ClusterRole": olm.ClusterRoles, "ClusterRoleBinding": olm.ClusterRoleBindings} {
		for _, each := range b.Objects {
			if each.GetKind() == kind {
				remove(t, resource, each.GetName())
			}
		}
	}
	remove(t, core("namespaces"), namespaces...)
	eventually(t, func() error {
		list, err := shared.Any.Resource(olm.CSVs).List(ctx, metav1.ListOptions{LabelSelector: "olm.copiedFrom=" + namespaces[0]})
		if err == nil && len(list.Items) > 0 {
			err = errors.New("copies are still there")
		}
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}
