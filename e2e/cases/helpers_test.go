package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const patience = check.Patience

var (
	must       = check.Must
	eventually = check.Eventually
)

// apiPath is where the API is served, and listPath all its objects.
const (
	apiPath  = "/apis/views.operators.coreos.com/v1alpha1"
	listPath = apiPath + "/installedoperators"
)

func inNamespace(namespace string) string {
	return apiPath + "/namespaces/" + namespace + "/installedoperators"
}

// space makes a namespace for one case, with labels in pairs, and returns its name. Steward knows of it.
func space(t *testing.T, labels ...string) string {
	t.Helper()
	name := unseenSpace(t, labels...)
	eventually(t, appears(t, name, globalOperator))
	return name
}

// globalOperator is in every namespace.
const globalOperator = "certloop.v1.8.2"

// unseenSpace is a space that Steward may not know of yet.
func unseenSpace(t *testing.T, labels ...string) string {
	t.Helper()
	name := "case-" + rand.String(6)
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(name, labels...)))
	t.Cleanup(func() { deleteNamespace(t, name) })
	return name
}

// deleteNamespace does not wait: the controller removes what is in it.
func deleteNamespace(t *testing.T, name string) {
	err := shared.Any.Resource(olm.Namespaces).Delete(context.Background(), name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Error(err)
	}
}

func create(t *testing.T, objects ...*olm.Object) {
	t.Helper()
	must(t, olm.Create(t.Context(), shared.Any, objects...))
}

// release removes all finalizers of an object.
func release(t *testing.T, resource schema.GroupVersionResource, namespace, name string) {
	t.Helper()
	must(t, olm.Mutate(t.Context(), shared.Any, resource, namespace, name, func(object *olm.Object) { object.SetFinalizers(nil) }))
}

// nextSecond waits for the clock: Kubernetes writes creation times in whole seconds.
func nextSecond() {
	now := time.Now()
	time.Sleep(time.Until(now.Truncate(time.Second).Add(1010 * time.Millisecond)))
}

// view reads one virtual object through the aggregator.
func view(ctx context.Context, namespace, name string) (*olm.Object, error) {
	return shared.Any.Resource(olm.InstalledOperators).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
}

// appears checks that a virtual object is there; absent that none is.
func appears(t *testing.T, namespace, name string) func() error {
	return func() error {
		_, err := view(t.Context(), namespace, name)
		return err
	}
}

func absent(t *testing.T, namespace, name string) func() error {
	return func() error {
		_, err := view(t.Context(), namespace, name)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("%s/%s: want NotFound, got %v", namespace, name, err)
	}
}

// complete checks that a virtual object is as its CSV, status and all, and its OperatorGroup make it. Each of them comes by
// a write and a watch of its own; from then on no event about it is under way.
func complete(t *testing.T, namespace, name string) func() error {
	return func() error {
		object, err := view(t.Context(), namespace, name)
		if err == nil && (field(object, "status", "phase") == "" || field(object, "scope", "operatorGroup") == "") {
			err = fmt.Errorf("%s/%s: status %v, scope %v", namespace, name, object.Object["status"], object.Object["scope"])
		}
		return err
	}
}

// settled is for "nothing happens": it waits until a marker written now has come through, so that everything written
// before has, too, and then checks. Where the marker is seen depends on a namespace's labels, an OperatorGroup and a CSV:
// each kind has a watch of its own.
func settled(t *testing.T, checks ...func() error) {
	t.Helper()
	label := "case-" + rand.String(6)
	home, target := unseenSpace(t), unseenSpace(t, label, "yes")
	group := olm.SelectorGroup(home, "own", label, "yes")
	create(t, group, olm.CSV("marker", group, target))
	eventually(t, complete(t, target, "marker"))
	for _, check := range checks {
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}

// field is a string at a path in an object, "" where absent.
func field(object *olm.Object, path ...string) string {
	var value any = object.Object
	for _, key := range path {
		fields, _ := value.(map[string]any)
		value = fields[key]
	}
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// kubectl runs as the administrator and must succeed.
func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := shared.Kubectl(t.Context(), args...)
	must(t, err)
	return out
}

// refused runs kubectl, which must fail, and returns what it said.
func refused(t *testing.T, kubeconfig string, args ...string) string {
	t.Helper()
	out, err := shared.KubectlAs(t.Context(), kubeconfig, args...)
	if err == nil {
		t.Fatalf("kubectl %s succeeded:\n%s", strings.Join(args, " "), out)
	}
	return err.Error()
}

// user is a kubeconfig of a user without any rights yet.
func user(t *testing.T, name string, groups ...string) string {
	t.Helper()
	kubeconfig, err := shared.User(name, groups...)
	must(t, err)
	return kubeconfig
}

// answer is a whole HTTP response.
type answer struct {
	Code   int
	Proto  string
	Header http.Header
	Body   []byte
}

// call is one raw request; headers are in pairs.
func call(t *testing.T, config *rest.Config, method, path string, headers ...string) answer {
	t.Helper()
	got, err := tryCall(t.Context(), config, method, path, nil, headers...)
	must(t, err)
	return got
}

func tryCall(ctx context.Context, config *rest.Config, method, path string, body []byte, headers ...string) (answer, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, config.Host+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Proto, response.Header, text}, err
}

// decoded is the body as JSON.
func (a answer) decoded(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(a.Body, &out); err != nil {
		t.Fatalf("%d, not a JSON object: %v: %.300s", a.Code, err, a.Body)
	}
	return out
}

// status is the body as a Kubernetes Status, which must agree with the HTTP code.
func (a answer) status(t *testing.T) metav1.Status {
	t.Helper()
	var out metav1.Status
	if err := json.Unmarshal(a.Body, &out); err != nil || out.Kind != "Status" || out.APIVersion != "v1" {
		t.Fatalf("%d, not a Status: %v: %.300s", a.Code, err, a.Body)
	}
	if int(out.Code) != a.Code || out.Status != metav1.StatusFailure {
		t.Errorf("HTTP %d carries a Status with code %d, status %q", a.Code, out.Code, out.Status)
	}
	return out
}

// keys is "namespace/name" of every virtual object there is, with its labels. The objects themselves would be megabytes.
func keys(t *testing.T) (names []string, labelled map[string]map[string]string) {
	t.Helper()
	client, err := metadata.NewForConfig(shared.Config)
	must(t, err)
	list, err := client.Resource(olm.InstalledOperators).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	labelled = map[string]map[string]string{}
	for _, item := range list.Items {
		names = append(names, item.Namespace+"/"+item.Name)
		labelled[item.Namespace+"/"+item.Name] = item.Labels
	}
	return names, labelled
}

// masters is an administrator who talks to Steward directly, by client certificate.
func masters(t *testing.T, s *cluster.Steward) *rest.Config {
	t.Helper()
	config, err := s.WithUser("direct-admin", "system:masters")
	must(t, err)
	return config
}
