package previews_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/olm"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

func kubernetesCode(err error) int {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return int(status.Status().Code)
	}
	return 0
}

// allow binds a user to rules in a namespace, or ("") cluster-wide: "get,list group/resource".
func allow(t *testing.T, user, namespace string, rules ...string) {
	t.Helper()
	name, list := "e2e-"+rand.String(8), []any{}
	for _, rule := range rules {
		verbs, rest, _ := strings.Cut(rule, " ")
		group, resource, _ := strings.Cut(rest, "/")
		words := []any{}
		for _, verb := range strings.Split(verbs, ",") {
			words = append(words, verb)
		}
		list = append(list, map[string]any{"apiGroups": []any{group}, "resources": []any{resource}, "verbs": words})
	}
	rbac := "rbac.authorization.k8s.io"
	_, err := shared.Any.Resource(olm.ClusterRoles).Create(t.Context(), object(rbac+"/v1", "ClusterRole", "", name, map[string]any{"rules": list}), metav1.CreateOptions{})
	must(t, err)
	binding := object(rbac+"/v1", "RoleBinding", namespace, name, map[string]any{
		"roleRef":  map[string]any{"apiGroup": rbac, "kind": "ClusterRole", "name": name},
		"subjects": []any{map[string]any{"apiGroup": rbac, "kind": "User", "name": user}},
	})
	resource := resources["RoleBinding"]
	if namespace == "" {
		binding.SetKind("ClusterRoleBinding")
		resource = olm.ClusterRoleBindings
	}
	_, err = shared.Any.Resource(resource).Namespace(namespace).Create(t.Context(), binding, metav1.CreateOptions{})
	must(t, err)
}

// A preview tells nobody what kubectl would not show them: each kind takes its right, and each step its own.
func TestTenants_R_PRJ_07_LearnNothing(t *testing.T) {
	o := installed(t, true)
	namespace := o.namespace
	secret := object("v1", "Secret", namespace, "concealed", map[string]any{"stringData": map[string]any{"password": "swordfish"}})
	_, err := shared.Any.Resource(core("secrets")).Namespace(namespace).Create(t.Context(), secret, metav1.CreateOptions{})
	must(t, err)
	wanted := secret.DeepCopy()
	wanted.Object["stringData"] = map[string]any{"password": "other"}
	plan(t, namespace, "install-1", "reed.v1", planned{manifest: csv(namespace, "reed.v1")}, planned{manifest: wanted},
		planned{manifest: configMap(namespace, "shown", "1")})
	ask3 := "create views.operators.coreos.com/planpreviews"
	planSpec := map[string]any{"installPlan": map[string]any{"name": "install-1"}}
	copiesSpec := map[string]any{"copiedCSVs": map[string]any{"enabled": false}}
	bundleSpec := map[string]any{"bundle": map[string]any{"manifests": []any{csv(namespace, "reed.v1").Object, wanted.Object}}}
	rows := []struct {
		name   string
		rights []string
		spec   map[string]any
		code   int      // of the refusal; 0 = an answer
		hidden int      // at least
		not    []string // what the answer must not say
		says   []string
	}{
		{"plan-none", nil, planSpec, 403, 0, nil, nil},
		{"plan-create", []string{ask3}, planSpec, 403, 0, nil, nil},
		{"plan-get", []string{ask3, "get operators.coreos.com/installplans"}, planSpec, 0, 3, []string{"swordfish", "concealed", "shown", "reed.v1", "other"}, nil},
		{"plan-configmaps", []string{ask3, "get operators.coreos.com/installplans", "get,list /configmaps"}, planSpec, 0, 2, []string{"swordfish", "concealed", "stringData"}, []string{"shown"}},
		{"plan-secrets", []string{ask3, "get operators.coreos.com/installplans", "get,list /secrets"}, planSpec, 0, 2, []string{"swordfish", "shown"}, []string{"data.password"}},
		{"uninstall-create", []string{ask3}, o.spec(), 403, 0, nil, nil},
		{"uninstall-preview", []string{ask3, "get views.operators.coreos.com/cleanupstatuses/preview"}, o.spec(), 0, 4, []string{"space-", "elsewhere-", "Widget"}, []string{"Forbidden"}},
		{"copies-create", []string{ask3}, copiesSpec, 403, 0, nil, nil},
		{"bundle-create", []string{ask3}, bundleSpec, 0, 0, []string{"swordfish", "data.password"}, []string{"Forbidden"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			name := row.name + "-" + rand.String(4)
			if len(row.rights) > 0 {
				allow(t, name, namespace, row.rights...)
			}
			client := user(t, name)
			question, err := json.Marshal(map[string]any{"apiVersion": "views.operators.coreos.com/v1alpha1", "kind": "PlanPreview",
				"metadata": map[string]any{"namespace": namespace}, "spec": row.spec})
			must(t, err)
			var text []byte
			eventually(t, func() error {
				text, err = client.Post().AbsPath(api+"/namespaces/"+namespace+"/planpreviews").SetHeader("Content-Type", "application/json").Body(question).MaxRetries(0).Do(t.Context()).Raw()
				if got := kubernetesCode(err); got != row.code || (row.code == 0 && err != nil) {
					return fmt.Errorf("code %d, want %d: %w", got, row.code, err)
				}
				return nil
			})
			if row.code != 0 {
				return
			}
			var answer preview
			must(t, json.Unmarshal(text, &answer))
			if answer.Status.Hidden < row.hidden {
				t.Errorf("%d hidden, want %d: %s", answer.Status.Hidden, row.hidden, text)
			}
			status := string(text[bytes.Index(text, []byte(`"status":`)):])
			for _, part := range row.not {
				if strings.Contains(status, part) {
					t.Errorf("says %q: %s", part, status)
				}
			}
			for _, part := range row.says {
				if !strings.Contains(status, part) {
					t.Errorf("does not say %q: %s", part, status)
				}
			}
		})
	}
	// Widgets of namespaces in which the tenant may list them are named, the others are counted.
	name := "widgets-" + rand.String(4)
	allow(t, name, namespace, ask3, "get views.operators.coreos.com/cleanupstatuses/preview")
	allow(t, name, o.spaces[0], "list "+o.group+"/widgets")
	kubeconfig, err := shared.User(name)
	must(t, err)
	said := asked(t, clientOf(t, kubeconfig), namespace, o.spec())
	if said.Status.Hidden != 2 || len(said.Status.Steps) != 4 { // the operator, two widgets, the definition
		t.Errorf("%d hidden, steps %v", said.Status.Hidden, said.Status.Steps)
	}
}

// Wrong, forged, deep and huge questions get clear errors, and none of them is stored or logged out anybody.
func TestHostile_R_PRJ_07_Questions(t *testing.T) {
	namespace := space(t)
	client := clientOf(t, installer)
	head := `{"apiVersion":"views.operators.coreos.com/v1alpha1","kind":"PlanPreview","metadata":{"namespace":"` + namespace + `"},"spec":`
	rows := []struct {
		name, body string
		codes      []int
	}{
		{"nothing", head + `{}}`, []int{422}},
		{"two", head + `{"installPlan":{"name":"a"},"copiedCSVs":{"enabled":true}}}`, []int{422}},
		{"no name", head + `{"installPlan":{}}}`, []int{422}},
		{"wrong type", head + `{"installPlan":"a"}}`, []int{400, 422}},
		{"no such plan", head + `{"installPlan":{"name":"nobody"}}}`, []int{404}},
		{"path in a name", head + `{"installPlan":{"name":"../x"}}}`, []int{422}},
		{"no such operator", head + `{"uninstall":{"clusterServiceVersion":"nobody.v1"}}}`, []int{404}},
		{"no bundle", head + `{"bundle":{"manifests":[]}}}`, []int{400, 422}},
		{"bundle of numbers", head + `{"bundle":{"manifests":[1,2]}}}`, []int{400, 422}},
		{"other namespace", strings.Replace(head, namespace, "default", 1) + `{"installPlan":{"name":"a"}}}`, []int{400}},
		{"other kind", strings.Replace(head, "PlanPreview", "Pod", 1) + `{}}`, []int{400}},
		{"not JSON", `{`, []int{400}},
		{"deep", head + strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_001), []int{400, 413}},
		{"huge", head + `{"bundle":{"manifests":["` + strings.Repeat("x", 4<<20) + `"]}}}`, []int{413}},
		{"many", head + `{"bundle":{"manifests":[` + strings.Repeat(`{},`, 20_000) + `{}]}}}`, []int{400, 422}},
	}
	for _, row := range rows {
		_, err := post(t, client, namespace, []byte(row.body))
		code, right := kubernetesCode(err), false
		for _, each := range row.codes {
			right = right || code == each
		}
		if !right {
			t.Errorf("%s: %d, want %v: %.300v", row.name, code, row.codes, err)
		}
	}
	plan(t, namespace, "install-1", "reed.v1", planned{manifest: csv(namespace, "reed.v1")}, planned{manifest: configMap(namespace, "a", "1")})
	spec := map[string]any{"installPlan": map[string]any{"name": "install-1"}}
	asked(t, client, namespace, spec)

	// A thousand at once: each is answered or told to come again, and reading goes on.
	question, err := json.Marshal(map[string]any{"apiVersion": "views.operators.coreos.com/v1alpha1", "kind": "PlanPreview",
		"metadata": map[string]any{"namespace": namespace}, "spec": spec})
	must(t, err)
	var answered, later, others atomic.Int64
	var group sync.WaitGroup
	for range 1000 {
		group.Add(1)
		go func() {
			defer group.Done()
			_, err := client.Post().AbsPath(api+"/namespaces/"+namespace+"/planpreviews").SetHeader("Content-Type", "application/json").Body(question).MaxRetries(0).Do(context.Background()).Raw()
			switch code := kubernetesCode(err); {
			case err == nil:
				answered.Add(1)
			case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable:
				later.Add(1)
			default:
				others.Add(1)
				t.Logf("%.300v", err)
			}
		}()
	}
	reads := 0
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	// A plain user, under the cluster's own fairness as everybody.
	allow(t, "reader-"+namespace, namespace, "list views.operators.coreos.com/installedoperators")
	reader := user(t, "reader-"+namespace)
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			if _, err := reader.Get().AbsPath(api + "/namespaces/" + namespace + "/installedoperators").Do(t.Context()).Raw(); err != nil {
				t.Errorf("a read beside them: %v", err)
			}
			reads++
		}
	}
	t.Logf("of 1000 creates %d were answered, %d were told to come again; %d reads beside them", answered.Load(), later.Load(), reads)
	if others.Load() > 0 || answered.Load() == 0 {
		t.Errorf("%d were answered in another way, %d were answered", others.Load(), answered.Load())
	}
	asked(t, client, namespace, spec)
}
