package realolm_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const rbac = "rbac.authorization.k8s.io/v1"

var plans = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "installplans"}

// buildCatalog builds catalog-operator once, from vendored sources.
var buildCatalog = sync.OnceValues(func() (string, error) {
	out := filepath.Join(binaries, "catalog-operator")
	command := exec.Command("go", "build", "-mod=vendor", "-ldflags=-s -w", "-o", out, "./cmd/catalog")
	command.Dir = os.Getenv(sourceVariable)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOPROXY=off")
	if text, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building catalog-operator: %w: %s", err, text)
	}
	return out, nil
})

// brought is an object that two versions of an operator bring.
type brought struct {
	resource schema.GroupVersionResource
	kind     schema.GroupVersionKind // of the step
	cluster  bool
	name     string
	old, new map[string]any
	between  string // a merge patch of somebody else
	content  []string
	differs  string // why Steward's result is another one; "" = it is the same
}

func manifest(text string) (object map[string]any) {
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		panic(err)
	}
	return object
}

// Every kind that both execute, as far as a cluster without more definitions has it.
func broughtKinds() []brought {
	gvk := func(apiVersion, kind string) schema.GroupVersionKind {
		return schema.FromAPIVersionAndKind(apiVersion, kind)
	}
	resource := func(apiVersion, plural string) schema.GroupVersionResource {
		return gvk(apiVersion, "").GroupVersion().WithResource(plural)
	}
	return []brought{
		{resource("v1", "serviceaccounts"), gvk("v1", "ServiceAccount"), false, "account", manifest(`{}`), manifest(`{}`),
			`{"imagePullSecrets":[{"name":"mine"}]}`, []string{"imagePullSecrets"}, "pull secrets that an administrator has set stay"},
		{resource("v1", "serviceaccounts"), gvk("v1", "ServiceAccount"), false, "hardened", manifest(`{}`), manifest(`{}`),
			`{"automountServiceAccountToken":false}`, []string{"automountServiceAccountToken"}, "an administrator's choice stays"},
		{resource(rbac, "roles"), gvk(rbac, "Role"), false, "role",
			manifest(`{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}]}`),
			manifest(`{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}`), "", []string{"rules"}, ""},
		{resource(rbac, "rolebindings"), gvk(rbac, "RoleBinding"), false, "binding",
			manifest(`{"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"role"},"subjects":[{"kind":"ServiceAccount","name":"account"},{"kind":"ServiceAccount","name":"old"}]}`),
			manifest(`{"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"role"},"subjects":[{"kind":"ServiceAccount","name":"account"}]}`),
			"", []string{"roleRef", "subjects"}, ""},
		{resource(rbac, "clusterroles"), gvk(rbac, "ClusterRole"), true, "cluster-role",
			manifest(`{"rules":[{"apiGroups":[""],"resources":["nodes"],"verbs":["get","list"]}]}`),
			manifest(`{"rules":[{"apiGroups":[""],"resources":["nodes"],"verbs":["get"]}]}`), "", []string{"rules"}, ""},
		{resource(rbac, "clusterrolebindings"), gvk(rbac, "ClusterRoleBinding"), true, "cluster-binding",
			manifest(`{"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-role"},"subjects":[{"kind":"ServiceAccount","name":"account","namespace":"steps"},{"kind":"ServiceAccount","name":"old","namespace":"steps"}]}`),
			manifest(`{"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-role"},"subjects":[{"kind":"ServiceAccount","name":"account","namespace":"steps"}]}`),
			"", []string{"roleRef", "subjects"}, ""},
		{resource("v1", "secrets"), gvk("v1", "BundleSecret"), false, "secret", manifest(`{"type":"Opaque","data":{"a":"MQ==","old":"MQ=="}}`),
			manifest(`{"type":"Opaque","data":{"a":"Mg=="}}`), "", []string{"data", "type"}, ""},
		{resource("v1", "configmaps"), gvk("v1", "ConfigMap"), false, "settings", manifest(`{"data":{"a":"1","old":"1"}}`),
			manifest(`{"data":{"a":"2"}}`), "", []string{"data"}, ""},
		{resource("v1", "configmaps"), gvk("v1", "ConfigMap"), false, "custom", manifest(`{"data":{"a":"1"}}`), manifest(`{"data":{"a":"2"}}`),
			`{"data":{"custom":"mine"}}`, []string{"data"}, "a key that somebody has added stays"},
		{resource("v1", "services"), gvk("v1", "Service"), false, "served",
			manifest(`{"spec":{"clusterIP":"None","ports":[{"name":"https","port":8443}],"selector":{"app":"a","plane":"old"}}}`),
			manifest(`{"spec":{"clusterIP":"None","ports":[{"name":"https","port":8444}],"selector":{"app":"a"}}}`), "", []string{"spec"}, ""},
		{resource("policy/v1", "poddisruptionbudgets"), gvk("policy/v1", "PodDisruptionBudget"), false, "budget",
			manifest(`{"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}}`),
			manifest(`{"spec":{"maxUnavailable":1,"selector":{"matchLabels":{"a":"b"}}}}`), "", []string{"spec"}, ""},
		{resource("networking.k8s.io/v1", "networkpolicies"), gvk("networking.k8s.io/v1", "NetworkPolicy"), false, "policy",
			manifest(`{"spec":{"podSelector":{"matchLabels":{"a":"b"}},"policyTypes":["Ingress","Egress"]}}`),
			manifest(`{"spec":{"podSelector":{},"policyTypes":["Ingress"]}}`), "", []string{"spec"}, ""},
		{resource("scheduling.k8s.io/v1", "priorityclasses"), gvk("scheduling.k8s.io/v1", "PriorityClass"), true, "priority",
			manifest(`{"value":5,"description":"old"}`), manifest(`{"value":5}`), "", []string{"value", "description", "globalDefault"}, ""},
	}
}

// planOf is an approved plan of one version.
func planOf(operator string, pick func(brought) map[string]any) *olm.Object {
	csv := olm.CSV(operator, olm.OperatorGroup("steps", "group"))
	csv.SetAnnotations(nil)
	csv.SetLabels(nil)
	delete(csv.Object, "status")
	steps := []any{}
	add := func(kind schema.GroupVersionKind, object map[string]any, name string) {
		text, _ := json.Marshal(object)
		steps = append(steps, map[string]any{"resolving": operator, "status": "Unknown", "resource": map[string]any{
			"group": kind.Group, "version": kind.Version, "kind": kind.Kind, "name": name,
			"sourceName": "catalog", "sourceNamespace": "olm", "manifest": string(text),
		}})
	}
	add(csv.GroupVersionKind(), csv.Object, operator)
	for _, each := range broughtKinds() {
		kind := each.kind
		if kind.Kind == "BundleSecret" {
			kind.Kind = "Secret"
		}
		made := object(kind.GroupVersion().String(), kind.Kind, "steps", each.name)
		if each.cluster {
			made.SetNamespace("")
		}
		for key, value := range pick(each) {
			made.Object[key] = value
		}
		add(each.kind, made.Object, each.name)
	}
	plan := object("operators.coreos.com/v1alpha1", "InstallPlan", "steps", "plan-"+operator)
	plan.Object["spec"] = map[string]any{"approval": "Automatic", "approved": true, "clusterServiceVersionNames": []any{operator}}
	plan.Object["status"] = map[string]any{"phase": "Installing", "catalogSources": []any{}, "plan": steps}
	return plan
}

// upgraded is what becomes of the objects where one version is installed, somebody changes something, and then the other one is.
func (w *world) upgraded(t *testing.T) map[string]map[string]any {
	t.Helper()
	w.addNamespaces(t, "steps")
	must(t, olm.Create(t.Context(), w.Any, olm.Synced(olm.OperatorGroup("steps", "group", "steps"), "steps")))
	execute := func(plan *olm.Object) {
		t.Helper()
		must(t, olm.CreateAs(t.Context(), w.Any, plans, plan))
		eventually(t, func() error {
			got, err := w.Any.Resource(plans).Namespace("steps").Get(t.Context(), plan.GetName(), metav1.GetOptions{})
			if err != nil {
				return err
			}
			phase, _, _ := unstructured.NestedString(got.Object, "status", "phase")
			if phase != "Complete" {
				return fmt.Errorf("%s is %s: %v", plan.GetName(), phase, got.Object["status"].(map[string]any)["message"])
			}
			return nil
		})
	}
	execute(planOf("some.v1", func(each brought) map[string]any { return each.old }))
	at := func(each brought) string {
		if each.cluster {
			return ""
		}
		return "steps"
	}
	for _, each := range broughtKinds() {
		if each.between == "" {
			continue
		}
		_, err := w.Any.Resource(each.resource).Namespace(at(each)).Patch(t.Context(), each.name, types.MergePatchType, []byte(each.between), metav1.PatchOptions{})
		must(t, err)
	}
	execute(planOf("some.v2", func(each brought) map[string]any { return each.new }))
	results := map[string]map[string]any{}
	for _, each := range broughtKinds() {
		got, err := w.Any.Resource(each.resource).Namespace(at(each)).Get(t.Context(), each.name, metav1.GetOptions{})
		must(t, err)
		content := map[string]any{}
		for _, field := range each.content {
			content[field] = got.Object[field]
		}
		results[each.kind.Kind+" "+each.name] = content
	}
	return results
}

// What an upgrade makes of objects that are there is what OLM makes of them, but where the table says why not.
func TestSteps_LikeCatalogOperator(t *testing.T) {
	source(t)
	binary, err := buildCatalog()
	must(t, err)
	theirs := newWorld(t, 0)
	// Its metrics are on a fixed port of all addresses: held, so that it is never opened to the network.
	if hold, err := net.Listen("tcp", "127.0.0.1:8080"); err == nil {
		t.Cleanup(func() { hold.Close() })
	}
	catalog, err := cluster.Spawn(theirs.Dir, "catalog-operator", binary, "--kubeconfig="+theirs.Admin, "--namespace="+olmNamespace, "--writeStatusName=")
	must(t, err)
	t.Cleanup(catalog.Kill)
	want := theirs.upgraded(t)

	ours := newWorld(t, 0)
	ours.controllers, err = ours.RunControllers(t.Context(), "install-plans", "--reconcilers=install-plans", "--leader-elect=false", "--v=2")
	must(t, err)
	got := ours.upgraded(t)
	for _, each := range broughtKinds() {
		name := each.kind.Kind + " " + each.name
		same := reflect.DeepEqual(got[name], want[name])
		switch {
		case same && each.differs != "":
			t.Errorf("%s: it is no difference any more: %s", name, each.differs)
		case !same && each.differs == "":
			t.Errorf("%s: OLM leaves %v, and Steward %v", name, want[name], got[name])
		case !same:
			t.Logf("%s: OLM leaves %v, and Steward %v: %s", name, want[name], got[name], each.differs)
		}
	}
}
