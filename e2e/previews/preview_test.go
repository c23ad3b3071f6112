package previews_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const api = "/apis/views.operators.coreos.com/v1alpha1"

var (
	installPlans  = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "installplans"}
	subscriptions = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "subscriptions"}
)

func core(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: resource}
}

// object is a manifest.
func object(apiVersion, kind, namespace, name string, fields map[string]any) *olm.Object {
	made := &olm.Object{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	for key, value := range fields {
		made.Object[key] = value
	}
	made.SetName(name)
	made.SetNamespace(namespace)
	return made
}

// preview is a PlanPreview that was asked for.
type preview struct {
	Metadata struct{ Name, Namespace, UID, ResourceVersion string }
	Status   struct {
		Steps      []step
		Summary    map[string]int
		Conditions []struct{ Type, Status, Reason, Message string }
		Hidden     int
		Remaining  int
	}
}

type step struct {
	Index                                 int
	Group, Version, Kind, Namespace, Name string
	Outcome, Basis, Reason, Message       string
	Code                                  int
	Optional                              bool
	ChangedFields                         []string
	Changes                               []change
	Warnings                              []string
}

// change is a field before and after a step.
type change struct {
	Path          string
	Before, After any
	Cut           bool
}

func (s step) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s/%s: %s (%s, %s) %v %s", s.Kind, s.Namespace, s.Name, s.Outcome, s.Basis, s.Reason, s.ChangedFields, s.Message))
}

func clientOf(t *testing.T, kubeconfig string) rest.Interface {
	t.Helper()
	config, err := cluster.ClientFor(kubeconfig)
	must(t, err)
	config.QPS = -1
	set, err := kubernetes.NewForConfig(config)
	must(t, err)
	return set.RESTClient()
}

func user(t *testing.T, name string, groups ...string) rest.Interface {
	t.Helper()
	kubeconfig, err := shared.User(name, groups...)
	must(t, err)
	return clientOf(t, kubeconfig)
}

// ask creates a PlanPreview through the aggregator.
func ask(t *testing.T, client rest.Interface, namespace string, spec map[string]any) (preview, error) {
	t.Helper()
	question, err := json.Marshal(map[string]any{"apiVersion": "views.operators.coreos.com/v1alpha1", "kind": "PlanPreview",
		"metadata": map[string]any{"namespace": namespace}, "spec": spec})
	must(t, err)
	return post(t, client, namespace, question)
}

func post(t *testing.T, client rest.Interface, namespace string, question []byte) (answer preview, err error) {
	t.Helper()
	code := 0
	text, err := client.Post().AbsPath(api+"/namespaces/"+namespace+"/planpreviews").SetHeader("Content-Type", "application/json").
		Body(question).MaxRetries(0).Do(t.Context()).StatusCode(&code).Raw()
	if err != nil {
		return answer, err
	}
	if code != 201 {
		t.Errorf("a PlanPreview is answered with %d, not 201", code)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return answer, err
	}
	if answer.Metadata.UID != "" || answer.Metadata.ResourceVersion != "" {
		t.Errorf("a PlanPreview that is stored nowhere has uid %q, resourceVersion %q", answer.Metadata.UID, answer.Metadata.ResourceVersion)
	}
	return answer, nil
}

// asked waits until controllers and API server know enough to answer.
func asked(t *testing.T, client rest.Interface, namespace string, spec map[string]any) (answer preview) {
	t.Helper()
	eventually(t, func() (err error) {
		answer, err = ask(t, client, namespace, spec)
		return err
	})
	for _, each := range answer.Status.Steps {
		t.Log(each)
	}
	return answer
}

// outcomes are those of the steps, in their order.
func (p preview) outcomes() (outcomes []string) {
	for _, each := range p.Status.Steps {
		outcomes = append(outcomes, each.Outcome)
	}
	return outcomes
}

func (p preview) condition() string {
	for _, each := range p.Status.Conditions {
		if each.Type == "Executable" {
			return each.Status + " " + each.Reason
		}
	}
	return ""
}

// resources are those of the kinds that cases have steps of.
var resources = map[string]schema.GroupVersionResource{
	"ClusterServiceVersion":    olm.CSVs,
	"CustomResourceDefinition": {Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	"ConfigMap":                core("configmaps"),
	"Secret":                   core("secrets"),
	"Service":                  core("services"),
	"ServiceAccount":           core("serviceaccounts"),
	"Role":                     {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
	"RoleBinding":              {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
	"ClusterRole":              {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	"ClusterRoleBinding":       {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
	"PodDisruptionBudget":      {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
}

// state is what is there of a step's object: nil, or the object.
func (s step) state(t *testing.T) *olm.Object {
	t.Helper()
	resource, known := resources[s.Kind]
	if !known {
		resource = schema.GroupVersionResource{Group: s.Group, Version: s.Version, Resource: strings.ToLower(s.Kind) + "s"}
	}
	got, err := shared.Any.Resource(resource).Namespace(s.Namespace).Get(t.Context(), s.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	must(t, err)
	return got
}

func (p preview) states(t *testing.T) (states []*olm.Object) {
	t.Helper()
	for _, each := range p.Status.Steps {
		states = append(states, each.state(t))
	}
	return states
}

// became says in the words of previews what became of an object.
func became(before, after *olm.Object) string {
	switch {
	case before == nil && after == nil:
		return "NotCreated"
	case before == nil:
		return "Create"
	case after == nil || (after.GetDeletionTimestamp() != nil && before.GetDeletionTimestamp() == nil) || after.GetUID() != before.GetUID():
		return "Delete"
	case slices.Equal(content(before), content(after)):
		return "Unchanged"
	}
	return "Update"
}

// content is what a write changes: all but what the server and other controllers keep.
func content(object *olm.Object) []byte {
	copied := object.DeepCopy()
	for _, field := range []string{"managedFields", "resourceVersion", "generation"} {
		unstructured.RemoveNestedField(copied.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(copied.Object, "status")
	text, err := json.Marshal(copied.Object)
	if err != nil {
		panic(err)
	}
	return text
}

// mayComeTo has what a step by a rule may come to beside what was said, by the reason of the rule: docs/previews.md tells why.
var mayComeTo = map[string][]string{
	// Whether an object is there is not watched.
	"CreatedOrUpdated": {"Update", "Unchanged"},
}

// compare fails for each step that came to something else than was said, and than the table explains. Of a step that is Unknown nothing was
// said. Failing steps leave everything as it is.
func compare(t *testing.T, said preview, before []*olm.Object) {
	t.Helper()
	for i, each := range said.Status.Steps {
		got := became(before[i], each.state(t))
		want := map[string][]string{
			"Create": {"Create"}, "Update": {"Update"}, "Unchanged": {"Unchanged", "NotCreated"}, "NotCreated": {"NotCreated", "Unchanged"},
			"Delete": {"Delete"}, "Keep": {"Unchanged"}, "Blocked": {"Unchanged", "NotCreated"}, "Fail": {"Unchanged", "NotCreated"},
		}[each.Outcome]
		switch {
		case each.Outcome == "Unknown", slices.Contains(want, got):
		case each.Basis != "DryRun" && slices.Contains(mayComeTo[each.Reason], got):
		default:
			t.Errorf("step %d was to be %s, and came to %s: %s", i, each.Outcome, got, each)
		}
	}
}

// space makes a namespace with an OperatorGroup.
func space(t *testing.T) string {
	t.Helper()
	name := "previews-" + rand.String(6)
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(name), olm.OperatorGroup(name, "group", name)))
	return name
}

// plugin runs `steward ARGS` as the holder of a kubeconfig.
func plugin(t *testing.T, kubeconfig string, args ...string) (out string, code int) {
	t.Helper()
	out, said, code := run(t, kubeconfig, args...)
	t.Logf("steward %s: %d\n%s%s", strings.Join(args, " "), code, out, said)
	return out, code
}

// run does the same, and logs nothing.
func run(t *testing.T, kubeconfig string, args ...string) (out, said string, code int) {
	t.Helper()
	binary, err := cluster.Binary()
	must(t, err)
	command := exec.CommandContext(t.Context(), binary, args...)
	command.Dir = t.TempDir()
	command.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + command.Dir, "PATH=/usr/bin:/bin"}
	var errors bytes.Buffer
	command.Stderr = &errors
	text, err := command.Output()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		t.Fatal(err)
	}
	return string(text), errors.String(), command.ProcessState.ExitCode()
}

// written is one write of Steward's, out of the audit log.
type written struct {
	Verb, RequestURI string
	User             struct{ Username string }
	ImpersonatedUser *struct{ Username string }
	ObjectRef        struct{ Resource, Namespace, Name, Subresource string }
	ResponseStatus   struct{ Code int }
}

// writesSince are those that are behind the first `from` of the audit log; their number with these is the second result.
func writesSince(t *testing.T, from int) (list []written, all int) {
	t.Helper()
	file, err := os.Open(auditLog())
	must(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var entry written
		if json.Unmarshal(lines.Bytes(), &entry) != nil { // the last line may be half written
			continue
		}
		if all++; all > from {
			list = append(list, entry)
		}
	}
	must(t, lines.Err())
	return list, all
}
