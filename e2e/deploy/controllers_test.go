package deploy

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

var (
	validatingWebhooks = policies.GroupVersion().WithResource("validatingwebhookconfigurations")
	mutatingWebhooks   = policies.GroupVersion().WithResource("mutatingwebhookconfigurations")
)

func object(text map[string]any, name string) *olm.Object {
	made := &olm.Object{Object: text}
	made.SetName(name)
	made.SetFinalizers([]string{"example.com/other"})
	made.SetLabels(map[string]string{"olm.owner": "some"})
	return made
}

// held are objects of the kinds that are held. Wide ones grant more than the controllers have.
func held(wide bool) map[schema.GroupVersionResource]*olm.Object {
	name, rule, role := "e2e-narrow", map[string]any{"apiGroups": []any{""}, "resources": []any{"namespaces"}, "verbs": []any{"get"}}, "system:basic-user"
	if wide {
		name, rule, role = "e2e-wide", map[string]any{"apiGroups": []any{"*"}, "resources": []any{"*"}, "verbs": []any{"*"}}, "cluster-admin"
	}
	hook := map[string]any{
		"name": "hook.example.com", "sideEffects": "None", "admissionReviewVersions": []any{"v1"},
		"clientConfig": map[string]any{"url": "https://hook.example.com"},
	}
	return map[schema.GroupVersionResource]*olm.Object{
		olm.ClusterRoles: object(map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "rules": []any{rule},
		}, name),
		olm.ClusterRoleBindings: object(map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "subjects": []any{},
			"roleRef": map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
		}, name),
		validatingWebhooks: object(map[string]any{
			"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "webhooks": []any{hook},
		}, name),
		mutatingWebhooks: object(map[string]any{
			"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration", "webhooks": []any{hook},
		}, name),
	}
}

// R-000-73: the controllers hold and release, and change nothing else of what they hold.
func TestControllers_R_000_73_HoldAndNothingElse(t *testing.T) {
	contents := map[string]string{
		"clusterroles":                    `{"rules":[]}`,
		"clusterrolebindings":             `{"subjects":[{"kind":"ServiceAccount","name":"steward-controllers","namespace":"steward-system"}]}`,
		"validatingwebhookconfigurations": `{"webhooks":[]}`,
		"mutatingwebhookconfigurations":   `{"webhooks":[]}`,
	}
	for _, wide := range []bool{false, true} {
		for resource, made := range held(wide) {
			t.Run(made.GetName()+"/"+resource.Resource, func(t *testing.T) {
				createUntilEnd(t, resource, made)
				patch := func(user, body string) error {
					_, err := as(t, user).Resource(resource).Patch(t.Context(), made.GetName(), types.MergePatchType, []byte(body), metav1.PatchOptions{})
					return err
				}
				for _, body := range []string{
					`{"metadata":{"finalizers":["example.com/other","` + holdFinalizer + `"]}}`,
					`{"metadata":{"finalizers":["example.com/other"]}}`,
				} {
					if err := patch(controllers, body); err != nil {
						t.Errorf("%s: %v", body, err)
					}
				}
				for _, body := range []string{
					contents[resource.Resource],
					`{"metadata":{"finalizers":[]}}`,
					`{"metadata":{"finalizers":["example.com/other","example.com/another"]}}`,
					`{"metadata":{"labels":{"a":"b"}}}`,
					`{"metadata":{"annotations":{"a":"b"}}}`,
					`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Namespace","name":"default","uid":"1"}]}}`,
				} {
					err := patch(controllers, body)
					// RBAC asks first whether what the object grants afterwards may be granted, unless only finalizers or
					// owners changed.
					byRBAC := wide && apierrors.IsForbidden(err) && strings.Contains(err.Error(), "attempting to grant")
					if err := refusal(writesPolicy, err); err != nil && !byRBAC {
						t.Errorf("%s: %v", body, err)
					}
				}
				// Others are not concerned.
				must(t, patch(clusterAdmin, `{"metadata":{"labels":{"a":"b"}}}`))
			})
		}
	}
}

// createUntilEnd writes a cluster-scoped object that goes, finalizers or not, when the test ends.
func createUntilEnd(t *testing.T, resource schema.GroupVersionResource, object *olm.Object) {
	t.Helper()
	at := shared.Any.Resource(resource)
	_, err := at.Create(t.Context(), object, metav1.CreateOptions{})
	must(t, err)
	t.Cleanup(func() {
		_, err := at.Patch(context.Background(), object.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		must(t, err)
		must(t, at.Delete(context.Background(), object.GetName(), metav1.DeleteOptions{}))
	})
}

// What the controllers write into ClusterServiceVersions, and what they never do.
func TestControllers_ClusterServiceVersions(t *testing.T) {
	namespace := space(t)
	for number, tc := range []struct {
		patch  string
		policy string // "" = it is allowed
	}{
		{`{"metadata":{"annotations":{"steward.operatorframework.io/cleanup-record":"{}"}}}`, ""},
		{`{"metadata":{"annotations":{"` + marks + `cleanup-refused":"SharedOwner"}}}`, ""},
		{`{"metadata":{"labels":{"` + marks + `opt-in-confirmed":"1"}}}`, ""},
		{`{"metadata":{"annotations":{"` + marks + `rights-released":"1"}}}`, ""},
		{`{"metadata":{"annotations":{"a":null}}}`, writesPolicy},
		{`{"metadata":{"annotations":{"a":"c"}}}`, writesPolicy},
		{`{"metadata":{"annotations":{"` + optOutAnnotation + `":"true"}}}`, writesPolicy},
		{`{"metadata":{"annotations":null}}`, writesPolicy},
		{`{"metadata":{"finalizers":["` + optInFinalizer + `","` + legacyFinalizer + `"]}}`, writesPolicy}, // takes away another's
		{`{"metadata":{"finalizers":["example.com/other","` + legacyFinalizer + `"]}}`, ""},
		{`{"metadata":{"finalizers":["example.com/other"]}}`, ""},
		{`{"metadata":{"finalizers":["example.com/other","` + optInFinalizer + `","` + legacyFinalizer + `","example.com/another"]}}`, writesPolicy},
		{`{"metadata":{"labels":{"a":"b"}}}`, writesPolicy},
		{`{"metadata":{"labels":{"a":"b","` + marks + `opt-in-confirmed":"1"}}}`, writesPolicy},
		{`{"metadata":{"labels":{"` + marks + `anything":"1"}}}`, writesPolicy},
		{`{"spec":{"displayName":"Other"}}`, writesPolicy},
		{`{"spec":{"cleanup":{"enabled":false}}}`, ""}, // a user aborts
		{`{"spec":{"cleanup":{"enabled":false},"displayName":"Other"}}`, writesPolicy},
		{`{"spec":{"cleanup":{"enabled":false},"version":null}}`, writesPolicy},
		{`{"spec":{"cleanup":null}}`, writesPolicy},
		{`{"spec":{"cleanup":{"enabled":false}},"metadata":{"labels":{"a":"b"}}}`, writesPolicy},
	} {
		name := fmt.Sprintf("csv-%d", number)
		object := csv(namespace, name, optInFinalizer, "example.com/other", legacyFinalizer)
		object.SetAnnotations(map[string]string{"a": "b"})
		create(t, object)
		_, err := as(t, controllers).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType, []byte(tc.patch), metav1.PatchOptions{})
		if tc.policy != "" {
			err = refusal(tc.policy, err)
		}
		if err != nil {
			t.Errorf("%s: %v", tc.patch, err)
		}
	}
	// What keeps custom resources from being deleted is written once; a confirmation may be renewed.
	for _, key := range []string{"cleanup-record", "cleanup-refused", "rights-released"} {
		create(t, csv(namespace, key, optInFinalizer))
		must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, namespace, key, func(object *olm.Object) {
			object.SetAnnotations(map[string]string{marks + key: "before"})
		}))
		for _, value := range []string{`"after"`, "null"} {
			_, err := as(t, controllers).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), key, types.MergePatchType,
				[]byte(`{"metadata":{"annotations":{"`+marks+key+`":`+value+`}}}`), metav1.PatchOptions{})
			if err := refusal(writesPolicy, err); err != nil {
				t.Errorf("%s becomes %s: %v", key, value, err)
			}
		}
	}
	confirmed := csv(namespace, "confirmed", optInFinalizer)
	confirmed.SetLabels(map[string]string{marks + "opt-in-confirmed": "before", "a": "b"})
	create(t, confirmed)
	_, err := as(t, controllers).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "confirmed", types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"`+marks+`opt-in-confirmed":"after"}}}`), metav1.PatchOptions{})
	must(t, err)
	unsupported := csv(namespace, "unsupported")
	unsupported.Object["spec"].(map[string]any)["cleanup"] = map[string]any{"enabled": false}
	create(t, unsupported)
	_, err = as(t, controllers).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "unsupported", types.MergePatchType,
		[]byte(`{"spec":{"cleanup":{"enabled":true}}}`), metav1.PatchOptions{})
	if err := refusal(writesPolicy, err); err != nil {
		t.Errorf("enabling cleanup: %v", err)
	}
	create(t, csv(namespace, "status", optInFinalizer))
	_, err = as(t, controllers).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "status", types.MergePatchType,
		[]byte(`{"status":{"cleanup":{"pendingDeletion":[{"group":"example.com","kind":"Widget","instances":[{"name":"a","namespace":"b"}]}]}}}`), metav1.PatchOptions{}, "status")
	must(t, err)
}

// However wide their rights, the controllers delete nothing that Kubernetes or OLM is made of; custom resources they do.
func TestControllers_DeleteCustomResourcesOnly(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	all, err := olm.Read(root + "/examples/apis")
	must(t, err)
	definition := all[0]
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
	kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	must(t, olm.CreateCRDs(t.Context(), shared.Any, definition))
	t.Cleanup(func() {
		must(t, shared.Any.Resource(olm.Definitions).Delete(context.Background(), definition.GetName(), metav1.DeleteOptions{}))
	})
	allAPIs(t)
	namespace := space(t)
	create(t, csv(namespace, "some"))
	account := as(t, controllers)
	secrets := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	secret := &olm.Object{Object: map[string]any{"apiVersion": "v1", "kind": "Secret"}}
	secret.SetName("some")
	_, err = shared.Any.Resource(secrets).Namespace(namespace).Create(t.Context(), secret, metav1.CreateOptions{})
	must(t, err)
	for what, err := range map[string]error{
		"a namespace":             account.Resource(olm.Namespaces).Delete(t.Context(), namespace, metav1.DeleteOptions{}),
		"a definition":            account.Resource(olm.Definitions).Delete(t.Context(), definition.GetName(), metav1.DeleteOptions{}),
		"a role":                  account.Resource(olm.ClusterRoles).Delete(t.Context(), "view", metav1.DeleteOptions{}),
		"a secret":                account.Resource(secrets).Namespace(namespace).Delete(t.Context(), "some", metav1.DeleteOptions{}),
		"a ClusterServiceVersion": account.Resource(olm.CSVs).Namespace(namespace).Delete(t.Context(), "some", metav1.DeleteOptions{}),
	} {
		if err := refusal(deletesPolicy, err); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	custom := schema.GroupVersionResource{Group: group, Version: versions[0].(map[string]any)["name"].(string), Resource: plural}
	operand := &olm.Object{Object: map[string]any{"apiVersion": custom.GroupVersion().String(), "kind": kind}}
	operand.SetName("some")
	at := account.Resource(custom).Namespace(namespace)
	_, err = shared.Any.Resource(custom).Namespace(namespace).Create(t.Context(), operand, metav1.CreateOptions{FieldValidation: metav1.FieldValidationIgnore})
	must(t, err)
	must(t, at.Delete(t.Context(), "some", background))
}

// Finding 4: groups of Kubernetes and of OLM are reserved, also where definitions of somebody else's lie in them.
func TestControllers_DeleteNothingInReservedGroups(t *testing.T) {
	allAPIs(t)
	namespace := space(t)
	for _, tc := range []struct {
		group   string
		refused bool
	}{
		{"snapshot.storage.k8s.io", true}, {"gateway.kubernetes.io", true}, {"packages.operators.coreos.com", true},
		{"things.x-k8s.io", false}, {"route.openshift.io", false},
	} {
		definition := olm.Definition(tc.group, "Widget", "Namespaced", "v1")
		definition.SetAnnotations(map[string]string{"api-approved.kubernetes.io": "unapproved, a test"})
		must(t, olm.CreateCRDs(t.Context(), shared.Any, definition))
		t.Cleanup(func() {
			must(t, shared.Any.Resource(olm.Definitions).Delete(context.Background(), definition.GetName(), metav1.DeleteOptions{}))
		})
		resource := schema.GroupVersionResource{Group: tc.group, Version: "v1", Resource: "widgets"}
		widget := &olm.Object{Object: map[string]any{"apiVersion": tc.group + "/v1", "kind": "Widget"}}
		widget.SetName("some")
		_, err := shared.Any.Resource(resource).Namespace(namespace).Create(t.Context(), widget, metav1.CreateOptions{})
		must(t, err)
		err = as(t, controllers).Resource(resource).Namespace(namespace).Delete(t.Context(), "some", background)
		if tc.refused {
			err = refusal(deletesPolicy, err)
		}
		if err != nil {
			t.Errorf("%s: %v", tc.group, err)
		}
	}
}

// Every group that this kube-apiserver serves by itself is of a kind that the policy names: without a dot, or of k8s.io.
func TestControllers_DeletesPolicyKnowsAllBuiltInGroups(t *testing.T) {
	services, err := shared.Any.Resource(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}).
		List(t.Context(), metav1.ListOptions{LabelSelector: "kube-aggregator.kubernetes.io/automanaged=onstart"})
	must(t, err)
	if len(services.Items) < 10 {
		t.Fatalf("only %d groups", len(services.Items))
	}
	for _, service := range services.Items {
		group, _, _ := unstructured.NestedString(service.Object, "spec", "group")
		if strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") {
			t.Errorf("the policy does not know %q", group)
		}
	}
}

// Finding 8: some verbs on some subresources are the right to speak with pods, services and nodes. The controllers do not
// have get; and whatever they are given, they are not connected.
func TestControllers_ConnectToNothing(t *testing.T) {
	allAPIs(t)
	for _, wanted := range []right{
		verb("get", "", "pods/exec", "somewhere"), verb("get", "", "nodes/proxy", ""), verb("get", "", "pods/log", "somewhere"),
		verb("create", "", "pods/exec", "somewhere"), verb("get", "", "secrets", "somewhere"),
	} {
		if allowed(t, controllers, wanted) {
			t.Errorf("%s", wanted.String())
		}
	}
	all, err := createRole(t.Context(), rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"*"}, Verbs: []string{"*"}})
	must(t, err)
	t.Cleanup(func() { must(t, deleteRole(context.Background(), all)) })
	must(t, bind(t.Context(), controllers, all))
	eventually(t, func() error {
		if !allowed(t, controllers, verb("get", "", "pods/exec", "somewhere")) {
			return fmt.Errorf("the right is not there yet")
		}
		return nil
	})
	namespace := space(t)
	for _, made := range []struct{ resource, text string }{
		{"serviceaccounts", `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default"}}`},
		{"services", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"some"},"spec":{"ports":[{"port":80}]}}`},
		{"pods", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"some"},"spec":{"serviceAccountName":"default","automountServiceAccountToken":false,"containers":[{"name":"a","image":"a"}]}}`},
	} {
		object := &olm.Object{}
		must(t, object.UnmarshalJSON([]byte(made.text)))
		eventually(t, func() error {
			_, err := shared.Any.Resource(schema.GroupVersionResource{Version: "v1", Resource: made.resource}).Namespace(namespace).Create(t.Context(), object, metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) {
				return nil
			}
			return err
		})
	}
	client, err := rest.HTTPClientFor(configOf(controllers))
	must(t, err)
	for _, tc := range []struct{ method, path string }{
		{"GET", "/api/v1/namespaces/" + namespace + "/pods/some/exec?command=id&stdout=true"},
		{"POST", "/api/v1/namespaces/" + namespace + "/pods/some/exec?command=id&stdout=true"},
		{"GET", "/api/v1/namespaces/" + namespace + "/pods/some/proxy/"},
		{"DELETE", "/api/v1/namespaces/" + namespace + "/pods/some/proxy/"},
		{"DELETE", "/api/v1/namespaces/" + namespace + "/services/some/proxy/"},
		{"DELETE", "/api/v1/nodes/some/proxy/"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), tc.method, shared.URL()+tc.path, http.NoBody)
		must(t, err)
		response, err := client.Do(request)
		must(t, err)
		body, err := io.ReadAll(response.Body)
		must(t, err)
		response.Body.Close()
		if response.StatusCode < 400 || !strings.Contains(string(body), "'"+deletesPolicy+"'") {
			t.Errorf("%s %s: %s: %s", tc.method, tc.path, response.Status, body)
		}
	}
}
