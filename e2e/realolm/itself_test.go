package realolm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
	"steward.dev/e2e/olmbundle"
	"steward.dev/e2e/overlay"
	"steward.dev/e2e/pods"
	"steward.dev/e2e/rights"
)

var (
	apiServices        = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	installedOperators = schema.GroupVersionResource{Group: "views.operators.coreos.com", Version: "v1alpha1", Resource: "installedoperators"}
)

// itself is Steward, installed by OLM.
type itself struct {
	*world
	root string
	// document is docs/install.md, and path where kubectl and its plugin are.
	document, path string
	pods           []*pods.Pod
}

// newItself starts a cluster with OLM's two programs.
func newItself(t *testing.T) *itself {
	t.Helper()
	source(t)
	catalog, err := buildCatalog()
	must(t, err)
	i := &itself{world: newWorld(t, 1)}
	i.root, err = cluster.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(i.root, "docs", "install.md"))
	must(t, err)
	i.document = string(text)
	program, err := cluster.Binary()
	must(t, err)
	folder := t.TempDir()
	for _, name := range []string{"steward", "kubectl-steward"} {
		must(t, os.Symlink(program, filepath.Join(folder, name)))
	}
	i.path = folder + ":" + i.KubectlDir() + ":/usr/bin:/bin"
	// OLM gives up on an operator without rights in its namespace after a few tries, and looks at it again after an interval of five minutes.
	i.runOLM(t, nil, "--interval=10s")
	// Its metrics are on a fixed port of all addresses: held, so that it is never opened to the network.
	if hold, err := net.Listen("tcp", "127.0.0.1:8080"); err == nil {
		t.Cleanup(func() { hold.Close() })
	}
	process, err := cluster.Spawn(i.Dir, "catalog-operator", catalog, "--kubeconfig="+i.Admin, "--namespace="+olmNamespace, "--writeStatusName=")
	must(t, err)
	t.Cleanup(process.Kill)
	t.Cleanup(i.killPods)
	return i
}

// documented runs a command that stands in the document word for word, in the tree's root.
func (i *itself) documented(t *testing.T, command string) {
	t.Helper()
	if !strings.Contains(i.document, "\n"+command+"\n") {
		t.Errorf("docs/install.md does not have %q", command)
	}
	i.runs(t, command)
}

func (i *itself) runs(t *testing.T, command string) {
	t.Helper()
	t.Logf("$ %s\n%s", command, i.prints(t, command))
}

// prints returns what a command writes to standard output.
func (i *itself) prints(t *testing.T, command string) string {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "bash", "-c", command)
	shell.Dir = i.root
	shell.Env = []string{"KUBECONFIG=" + i.Admin, "HOME=" + i.Dir, "PATH=" + i.path}
	var said bytes.Buffer
	shell.Stderr = &said
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", command, err, out, said.String())
	}
	return string(out)
}

// startPods runs the programs of the Deployments that OLM made, under the accounts that it made.
func (i *itself) startPods(t *testing.T) {
	t.Helper()
	i.leadServiceHere(t)
	port := 0
	for _, name := range []string{"steward-certificates", "steward-controllers", "steward-apiserver", "steward-apiservice-guard"} {
		var more []string
		if name == "steward-apiservice-guard" {
			more = append(more, fmt.Sprintf("--apiservice-guard-port=%d", port))
		}
		pod, err := pods.Start(t.Context(), i.Cluster, name, more...)
		must(t, err)
		i.pods = append(i.pods, pod)
		if found := pod.Ports["--secure-port"]; found != 0 {
			port = found
		}
	}
}

// leadServiceHere has the Service lead to this machine until the test ends, however often OLM writes it.
func (i *itself) leadServiceHere(t *testing.T) {
	t.Helper()
	must(t, pods.LeadServiceHere(t.Context(), i.Cluster))
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ; ctx.Err() == nil; time.Sleep(glance) {
			service, err := i.Kube.CoreV1().Services(olmbundle.Namespace).Get(ctx, "steward-apiserver", metav1.GetOptions{})
			if err == nil && service.Spec.ExternalName == "" {
				_ = pods.LeadServiceHere(ctx, i.Cluster)
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
}

func (i *itself) killPods() {
	for _, pod := range i.pods {
		pod.Kill()
	}
	i.pods = nil
}

// lists waits until an operator is shown in a namespace.
func (i *itself) lists(t *testing.T, namespace, name string) {
	t.Helper()
	eventually(t, func() error {
		_, err := i.Any.Resource(installedOperators).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
		return err
	})
}

// granted are the rights that Steward's accounts have in the cluster, and those that the overlay gives them.
func (i *itself) granted(t *testing.T) (got, want rights.Rights) {
	t.Helper()
	live := func(kind string, resource schema.GroupVersionResource) (objects []*olm.Object) {
		list, err := i.Any.Resource(resource).List(t.Context(), metav1.ListOptions{})
		must(t, err)
		for at := range list.Items {
			list.Items[at].SetKind(kind)
			objects = append(objects, &list.Items[at])
		}
		return objects
	}
	all := slices.Concat(live("ClusterRole", olm.ClusterRoles), live("Role", roles))
	rendered, err := overlay.Render(filepath.Join(i.root, filepath.FromSlash(olmbundle.Overlay)))
	must(t, err)
	// The overlay's own roles come last, and so hide those of the cluster.
	want, err = rights.Of(olmbundle.Namespace, append(slices.Clone(all), rendered...))
	must(t, err)
	got, err = rights.Of(olmbundle.Namespace, slices.Concat(all, live("ClusterRoleBinding", olm.ClusterRoleBindings), live("RoleBinding", roleBindings)))
	must(t, err)
	return got, want
}

// hasTheRights compares what OLM granted with the overlay.
func (i *itself) hasTheRights(t *testing.T, csv string) {
	t.Helper()
	got, want := i.granted(t)
	var narrow, wide []string
	for _, verb := range []string{"get", "list", "watch"} {
		narrow = append(narrow, "steward-apiserver kube-system: "+verb+" configmaps/extension-apiserver-authentication")
		wide = append(wide, "steward-apiserver everywhere: "+verb+" configmaps/extension-apiserver-authentication")
	}
	if lacks := want.Beyond(got); !slices.Equal(lacks, narrow) {
		t.Errorf("OLM did not grant %q", lacks)
	}
	// OLM lets every operator report its condition.
	more := slices.DeleteFunc(got.Beyond(want), func(right string) bool {
		return strings.Contains(right, " steward-system: ") && strings.HasSuffix(right, ".operators.coreos.com/"+csv) && strings.Contains(right, " operatorconditions")
	})
	if !slices.Equal(more, wide) {
		t.Errorf("OLM granted %q, too", more)
	}
}

// namespacesCanBeDeleted fails unless a namespace can be made and deleted.
func (i *itself) namespacesCanBeDeleted(t *testing.T) {
	t.Helper()
	made := olm.Namespace("left-behind")
	must(t, olm.Create(t.Context(), i.Any, made))
	must(t, i.Kube.CoreV1().Namespaces().Delete(t.Context(), made.GetName(), metav1.DeleteOptions{}))
	eventually(t, func() error {
		found, err := i.Kube.CoreV1().Namespaces().Get(t.Context(), made.GetName(), metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the namespace is still there: %v %w", found.Status.Conditions, errors.Join(err))
	})
}

// planned has OLM install a bundle by an approved plan, as its catalog-operator makes one: with the bundle's manifests and what follows from
// the ClusterServiceVersion. The plan of `steward bundle install` has the same steps, and the manifests where OLM does not look.
func (i *itself) planned(t *testing.T, folder string) {
	t.Helper()
	var report struct{ InstallPlan string }
	must(t, json.Unmarshal([]byte(i.prints(t, "steward bundle install "+folder+" -n steward-system -o json")), &report))
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(i.root, folder)
	}
	objects, err := olm.Read(filepath.Join(folder, "manifests"))
	must(t, err)
	at := i.Any.Resource(plans).Namespace(olmbundle.Namespace)
	eventually(t, func() error {
		plan, err := at.Get(t.Context(), report.InstallPlan, metav1.GetOptions{})
		if err != nil {
			return err
		}
		steps, _, err := unstructured.NestedSlice(plan.Object, "status", "plan")
		if err != nil {
			return err
		}
		for _, step := range steps {
			resource := step.(map[string]any)["resource"].(map[string]any)
			for _, each := range objects {
				if each.GetKind() != resource["kind"] || each.GetName() != resource["name"] {
					continue
				}
				text, err := each.MarshalJSON()
				if err != nil {
					return err
				}
				resource["manifest"] = string(text)
			}
			// OLM resolves the owner when it makes the account, and hears of the account by it.
			if resource["kind"] == "ServiceAccount" {
				account := object("v1", "ServiceAccount", olmbundle.Namespace, resource["name"].(string))
				owner := object(olm.CSVs.GroupVersion().String(), "ClusterServiceVersion", olmbundle.Namespace, step.(map[string]any)["resolving"].(string))
				account.SetOwnerReferences([]metav1.OwnerReference{ownerReference(owner)})
				text, err := account.MarshalJSON()
				if err != nil {
					return err
				}
				resource["manifest"] = string(text)
			}
		}
		if err := unstructured.SetNestedSlice(plan.Object, steps, "status", "plan"); err != nil {
			return err
		}
		_, err = at.UpdateStatus(t.Context(), plan, metav1.UpdateOptions{})
		return err
	})
	_, err = at.Patch(t.Context(), report.InstallPlan, types.MergePatchType, []byte(`{"spec":{"approved":true}}`), metav1.PatchOptions{})
	must(t, err)
	must(t, patiently(still, func() error {
		plan, err := at.Get(t.Context(), report.InstallPlan, metav1.GetOptions{})
		if err == nil && phaseOf(plan) == "Failed" {
			t.Fatalf("the plan failed: %v", plan.Object["status"].(map[string]any)["conditions"])
		}
		if err == nil && phaseOf(plan) != "Complete" {
			err = fmt.Errorf("the plan is %s: %v", phaseOf(plan), plan.Object["status"].(map[string]any)["conditions"])
		}
		return err
	}))
}

// objects are all that the cluster has, but Events and Leases.
func (i *itself) objects(ctx context.Context) (found []string, err error) {
	client, err := discovery.NewDiscoveryClientForConfig(i.Config)
	if err != nil {
		return nil, err
	}
	lists, err := client.ServerPreferredResources()
	if err != nil {
		return nil, err
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, resource := range list.APIResources {
			if !slices.Contains(resource.Verbs, "list") || slices.Contains([]string{"events", "leases"}, resource.Name) {
				continue
			}
			objects, err := i.Any.Resource(version.WithResource(resource.Name)).List(ctx, metav1.ListOptions{})
			if err != nil {
				return nil, err
			}
			for _, each := range objects.Items {
				found = append(found, strings.TrimSpace(resource.Name+" "+each.GetNamespace()+" "+each.GetName()))
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// OLM installs Steward of its own bundle, upgrades it and removes it, as docs/install.md says. Its programs run with the rights that OLM
// gave, and nothing but these.
func TestItself_InstalledUpgradedRemoved(t *testing.T) {
	i := newItself(t)
	before, err := i.objects(t.Context())
	must(t, err)

	i.documented(t, "kubectl apply --server-side -f deploy/olm/policies.yaml")
	_, subscription, _ := strings.Cut(i.document, "\n## With OLM\n")
	_, subscription, _ = strings.Cut(subscription, "\n```yaml\n")
	subscription, _, _ = strings.Cut(subscription, "```")
	i.runs(t, "kubectl apply -f - <<'EOF'\n"+subscription+"EOF\n")
	i.planned(t, "deploy/olm")
	i.documented(t, "kubectl wait --for=create csv/steward.v0.1.0 -n steward-system --timeout=2m")
	i.documented(t, "kubectl wait csv/steward.v0.1.0 -n steward-system --for=jsonpath='{.status.phase}'=Succeeded --timeout=10m")
	i.hasTheRights(t, "steward.v0.1.0")
	i.startPods(t)
	i.documented(t, "kubectl wait --for=create apiservice/v1alpha1.views.operators.coreos.com --timeout=2m")
	i.documented(t, "kubectl wait apiservice v1alpha1.views.operators.coreos.com --for=condition=Available --timeout=60s")
	must(t, i.WaitServed(t.Context()))
	for _, namespace := range []string{olmbundle.Namespace, i.spaces[0]} {
		i.lists(t, namespace, "steward.v0.1.0")
	}

	owner, err := i.Kube.RbacV1().ClusterRoles().Get(t.Context(), "steward-apiservice-guard", metav1.GetOptions{})
	must(t, err)

	// Another version is installed over it, while the old one's programs serve.
	next, err := olmbundle.Generate(i.root, olmbundle.Options{Version: "0.1.1", Replaces: "steward.v0.1.0"})
	must(t, err)
	folder := t.TempDir()
	must(t, next.Write(folder))
	i.runs(t, "kubectl apply --server-side -f "+folder+"/policies.yaml")
	i.planned(t, folder)
	i.succeeds(t, olmbundle.Namespace, "steward.v0.1.1", still)
	must(t, i.isGone(t.Context(), olmbundle.Namespace, "steward.v0.1.0", still))
	i.hasTheRights(t, "steward.v0.1.1")
	role, err := i.Kube.RbacV1().ClusterRoles().Get(t.Context(), "steward-apiservice-guard", metav1.GetOptions{})
	must(t, err)
	if role.UID != owner.UID || role.Labels["olm.owner"] != "steward.v0.1.1" {
		t.Errorf("the APIService's owner is %s of %v, and was %s", role.UID, role.Labels, owner.UID)
	}
	i.lists(t, i.spaces[0], "steward.v0.1.1")
	must(t, i.WaitAvailable(t.Context()))

	// Whoever deletes the operator, and no more, leaves a cluster that works: the APIService is gone although nobody serves it.
	i.documented(t, "kubectl steward remove --dry-run")
	i.documented(t, "kubectl delete subscription,csv -n steward-system -l '!olm.copiedFrom'")
	i.killPods()
	must(t, i.isGone(t.Context(), olmbundle.Namespace, "steward.v0.1.1", still))
	eventually(t, func() error {
		_, err := i.Any.Resource(apiServices).Get(t.Context(), cluster.APIServiceName, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the APIService is still there: %w", errors.Join(err))
	})
	i.namespacesCanBeDeleted(t)
	left, err := i.objects(t.Context())
	must(t, err)
	t.Logf("OLM left %q", slices.DeleteFunc(left, func(each string) bool { return slices.Contains(before, each) }))

	// The rest goes by one command.
	i.runs(t, "kubectl steward remove --yes")
	i.documented(t, "kubectl delete operators.operators.coreos.com steward.steward-system --ignore-not-found")
	eventually(t, func() error {
		after, err := i.objects(t.Context())
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
}

// OLM brings back what is deleted while there is a ClusterServiceVersion, which is why that goes first.
func TestItself_IsBroughtBack(t *testing.T) {
	i := newItself(t)
	i.runs(t, "kubectl apply --server-side -f deploy/olm/policies.yaml")
	i.planned(t, "deploy/olm")
	i.succeeds(t, olmbundle.Namespace, "steward.v0.1.0", still)
	deployments := i.Kube.AppsV1().Deployments(olmbundle.Namespace)
	old, err := deployments.Get(t.Context(), "steward-apiservice-guard", metav1.GetOptions{})
	must(t, err)
	must(t, deployments.Delete(t.Context(), old.Name, metav1.DeleteOptions{}))
	must(t, patiently(still, func() error {
		made, err := deployments.Get(t.Context(), old.Name, metav1.GetOptions{})
		if err == nil && made.UID == old.UID {
			err = fmt.Errorf("it is not deleted")
		}
		return err
	}))
}
