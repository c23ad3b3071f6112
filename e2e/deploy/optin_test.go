package deploy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"

	"steward.dev/e2e/olm"
)

// optIn is a way to have the finalizer on an object. Those that are not creations find the object there without it.
type optIn struct {
	name    string
	creates bool
	try     func(ctx context.Context, user, namespace, name string) error
}

// csvsOf are a namespace's ClusterServiceVersions as a user sees them.
func csvsOf(user, namespace string) (dynamic.ResourceInterface, error) {
	client, err := dynamic.NewForConfig(configOf(user))
	if err != nil {
		return nil, err
	}
	return client.Resource(olm.CSVs).Namespace(namespace), nil
}

func patching(kind types.PatchType, body string) func(context.Context, string, string, string) error {
	return func(ctx context.Context, user, namespace, name string) error {
		csvs, err := csvsOf(user, namespace)
		if err != nil {
			return err
		}
		_, err = csvs.Patch(ctx, name, kind, []byte(body), metav1.PatchOptions{})
		return err
	}
}

func creating(change func(*olm.Object), options metav1.CreateOptions) func(context.Context, string, string, string) error {
	return func(ctx context.Context, user, namespace, name string) error {
		csvs, err := csvsOf(user, namespace)
		if err != nil {
			return err
		}
		object := csv(namespace, name, optInFinalizer)
		change(object)
		_, err = csvs.Create(ctx, object, options)
		return err
	}
}

func applying(ctx context.Context, user, namespace, name string) error {
	csvs, err := csvsOf(user, namespace)
	if err != nil {
		return err
	}
	object := csv(namespace, name, optInFinalizer)
	delete(object.Object, "status")
	_, err = csvs.Apply(ctx, name, object, metav1.ApplyOptions{FieldManager: "e2e", Force: true})
	return err
}

var optIns = []optIn{
	{"create", true, creating(func(*olm.Object) {}, metav1.CreateOptions{})},
	{"create by generateName", true, creating(func(object *olm.Object) {
		object.SetGenerateName(object.GetName() + "-")
		object.SetName("")
	}, metav1.CreateOptions{})},
	{"create among other finalizers", true, creating(func(object *olm.Object) {
		object.SetFinalizers([]string{"example.com/one", optInFinalizer, "example.com/two"})
	}, metav1.CreateOptions{})},
	{"create without saying that cleanup is supported", true, creating(func(object *olm.Object) {
		delete(object.Object["spec"].(map[string]any), "cleanup")
	}, metav1.CreateOptions{})},
	{"create what looks like OLM's copy", true, creating(func(object *olm.Object) {
		object.SetLabels(map[string]string{olm.CopiedFromLabel: "elsewhere"})
	}, metav1.CreateOptions{})},
	{"create, to see what would come", true, creating(func(*olm.Object) {}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})},
	{"server-side apply, creating", true, applying},
	{"server-side apply, updating", false, applying},
	{"update", false, func(ctx context.Context, user, namespace, name string) error {
		client, err := dynamic.NewForConfig(configOf(user))
		if err != nil {
			return err
		}
		return olm.Mutate(ctx, client, olm.CSVs, namespace, name, func(object *olm.Object) { object.SetFinalizers([]string{optInFinalizer}) })
	}},
	{"merge patch", false, patching(types.MergePatchType, `{"metadata":{"finalizers":["`+optInFinalizer+`"]}}`)},
	{"merge patch beside other changes", false, patching(types.MergePatchType,
		`{"metadata":{"finalizers":["example.com/one","`+optInFinalizer+`"],"labels":{"a":"b"}},"spec":{"displayName":"Other"}}`)},
	{"JSON patch", false, patching(types.JSONPatchType, `[{"op":"add","path":"/metadata/finalizers","value":["`+optInFinalizer+`"]}]`)},
	{"patch of metadata", false, func(ctx context.Context, user, namespace, name string) error {
		client, err := metadata.NewForConfig(configOf(user))
		if err != nil {
			return err
		}
		_, err = client.Resource(olm.CSVs).Namespace(namespace).Patch(ctx, name, types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":["`+optInFinalizer+`"]}}`), metav1.PatchOptions{})
		return err
	}},
}

// R-000-74, R-000-11, R-000-43: adding the finalizer, in whichever way, needs the right, and OLM never has it.
func TestOptIn_R_000_74_IsAuthorised(t *testing.T) {
	namespace := space(t)
	own := "system:serviceaccount:" + namespace + ":installer"
	must(t, bindIn(t.Context(), namespace, halfGranted, "steward-cleanup-opt-in"))
	must(t, bind(t.Context(), own, "cluster-admin"))
	hasRight(t, own)
	for _, user := range []string{wideUser, grantedUser, gitOps, olmAccount, olmHelper, olmElsewhere} {
		hasRight(t, user)
	}
	number := 0
	for _, user := range []struct {
		name, account string
		says          string // "": it is allowed
	}{
		{"the administrator", clusterAdmin, ""},
		{"a user with all rights", wideUser, ""},
		{"a user who was granted it", grantedUser, ""},
		{"a GitOps tool with all rights", gitOps, ""},
		{"who administers namespaces", tenant, `verb "create" on "cleanupstatuses/optin"`},
		{"who was granted it in the namespace only", halfGranted, `verb "create" on "cleanupstatuses/optin"`},
		{"OLM", olmAccount, "never added by OLM"},
		{"OLM's helper on OpenShift", olmHelper, "never added by OLM"},
		{"OLM in a namespace of another name", olmElsewhere, "never added by OLM"},
		{"an account of the operator's namespace", own, "never added by OLM"},
	} {
		t.Run(user.name, func(t *testing.T) {
			for _, way := range optIns {
				number++
				name := fmt.Sprintf("csv-%d", number)
				if !way.creates {
					create(t, csv(namespace, name))
				}
				err := way.try(t.Context(), user.account, namespace, name)
				if user.says == "" {
					if err != nil {
						t.Errorf("%s: %v", way.name, err)
					}
					continue
				}
				if refused := refusal(optInPolicy, err); refused != nil {
					t.Errorf("%s: %v", way.name, refused)
				} else if !strings.Contains(err.Error(), user.says) {
					t.Errorf("%s: the refusal does not say %q: %v", way.name, user.says, err)
				}
			}
		})
	}
}

// Steward itself never opts in, even if it had every right (R-000-43).
func TestOptIn_R_000_43_StewardNeverDoes(t *testing.T) {
	namespace := space(t)
	create(t, csv(namespace, "plain"))
	role, err := createRole(t.Context(), rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}})
	must(t, err)
	t.Cleanup(func() { must(t, deleteRole(context.Background(), role)) })
	must(t, bind(t.Context(), controllers, role))
	hasRight(t, controllers)
	for _, way := range optIns {
		if way.creates {
			continue
		}
		err := way.try(t.Context(), controllers, namespace, "plain")
		if refusal(optInPolicy, err) != nil && refusal(writesPolicy, err) != nil {
			t.Errorf("%s: %v", way.name, err)
		}
	}
}

// Writes of the status do not reach the metadata, so the policy need not look at them.
func TestOptIn_R_000_74_StatusCannotAddTheFinalizer(t *testing.T) {
	namespace := space(t)
	create(t, csv(namespace, "plain"))
	csvs := as(t, tenant).Resource(olm.CSVs).Namespace(namespace)
	patch := []byte(`{"metadata":{"finalizers":["` + optInFinalizer + `"]},"status":{"message":"written"}}`)
	patched, err := csvs.Patch(t.Context(), "plain", types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	must(t, err)
	patched.SetFinalizers([]string{optInFinalizer})
	updated, err := csvs.UpdateStatus(t.Context(), patched, metav1.UpdateOptions{})
	must(t, err)
	for _, object := range []*olm.Object{patched, updated} {
		if message := object.Object["status"].(map[string]any)["message"]; message != "written" {
			t.Errorf("the status was not written: %v", message)
		}
	}
	if finalizers := updated.GetFinalizers(); len(finalizers) != 0 {
		t.Errorf("finalizers %q", finalizers)
	}
}

// What everybody may do to an object that is opted in, as to any other: all that does not make the opt-in mean more.
func TestOptIn_R_000_74_EverythingElseIsAsBefore(t *testing.T) {
	namespace := space(t)
	for number, tc := range []struct {
		name  string
		patch string
	}{
		{"a label", `{"metadata":{"labels":{"a":"b"}}}`},
		{"an annotation", `{"metadata":{"annotations":{"a":"b"}}}`},
		{"OLM's own finalizer", `{"metadata":{"finalizers":["` + optInFinalizer + `","operators.coreos.com/csv-cleanup"]}}`},
		{"the finalizer stays, another goes", `{"metadata":{"finalizers":["` + optInFinalizer + `"]}}`},
		{"the finalizer is removed", `{"metadata":{"finalizers":["example.com/other"]}}`},
		{"all finalizers are removed", `{"metadata":{"finalizers":null}}`},
		{"another description", `{"spec":{"description":"Does more"}}`},
		{"cleanup is no longer supported", `{"spec":{"cleanup":{"enabled":false}}}`},
		{"cleanup is no longer mentioned", `{"spec":{"cleanup":null}}`},
		{"fewer kinds are owned", `{"spec":{"customresourcedefinitions":{"owned":[]}}}`},
		{"an owned kind in another version", `{"spec":{"customresourcedefinitions":{"owned":[{"name":"widgets.example.com","version":"v2","kind":"Widget"}]}}}`},
		{"more kinds are required", `{"spec":{"customresourcedefinitions":{"required":[{"name":"gadgets.example.com","version":"v1","kind":"Gadget"}]}}}`},
		{"operands are to be kept", `{"metadata":{"annotations":{"` + optOutAnnotation + `":"true"}}}`},
		{"more kinds, and the finalizer is removed", `{"metadata":{"finalizers":null},"spec":{"customresourcedefinitions":{"owned":[{"name":"gadgets.example.com","version":"v1","kind":"Gadget"}]}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, user := range []string{tenant, olmAccount} {
				name := fmt.Sprintf("csv-%d-%s", number, user[:3])
				create(t, csv(namespace, name, optInFinalizer, "example.com/other"))
				if _, err := as(t, user).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType, []byte(tc.patch), metav1.PatchOptions{}); err != nil {
					t.Errorf("%s: %v", user, err)
				}
			}
		})
	}
	// Whole objects, as OLM writes them, with the finalizer kept.
	create(t, csv(namespace, "whole", optInFinalizer))
	for _, user := range []string{tenant, olmAccount} {
		must(t, olm.Mutate(t.Context(), as(t, user), olm.CSVs, namespace, "whole", func(object *olm.Object) {
			object.SetFinalizers(append(object.GetFinalizers(), "example.com/"+user[:3]))
		}))
	}
	// And without it, more can be owned than before.
	create(t, csv(namespace, "plain"))
	_, err := as(t, tenant).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "plain", types.MergePatchType, ownsMore(t), metav1.PatchOptions{})
	must(t, err)
}

// What makes the opt-in mean more needs the same right: the administrator agreed to what the object said then.
func TestOptIn_R_000_74_CannotBeWidened(t *testing.T) {
	namespace := space(t)
	unsupported := func(object *olm.Object) {
		object.Object["spec"].(map[string]any)["cleanup"] = map[string]any{"enabled": false}
	}
	optedOut := func(value string) func(*olm.Object) {
		return func(object *olm.Object) { object.SetAnnotations(map[string]string{optOutAnnotation: value}) }
	}
	for number, tc := range []struct {
		name   string
		before func(*olm.Object)
		patch  string
		says   string // "": everybody may
	}{
		{"more kinds are owned", func(*olm.Object) {}, string(ownsMore(t)), "owned has more kinds"},
		{"another kind is owned", func(*olm.Object) {}, `{"spec":{"customresourcedefinitions":{"owned":[{"name":"gadgets.example.com","version":"v1","kind":"Gadget"}]}}}`, "owned has more kinds"},
		{"a first kind is owned", func(object *olm.Object) {
			delete(object.Object["spec"].(map[string]any), "customresourcedefinitions")
		}, string(ownsMore(t)), "owned has more kinds"},
		{"an API is served", func(*olm.Object) {}, `{"spec":{"apiservicedefinitions":{"owned":[{"name":"things","group":"api.example.com","version":"v1","kind":"Thing"}]}}}`, "apiservicedefinitions.owned has more kinds"},
		{"cleanup becomes supported", unsupported, `{"spec":{"cleanup":{"enabled":true}}}`, "enabled becomes true"},
		{"cleanup comes to be mentioned", func(object *olm.Object) {
			delete(object.Object["spec"].(map[string]any), "cleanup")
		}, `{"spec":{"cleanup":{"enabled":true}}}`, "enabled becomes true"},
		{"cleanup is no longer said to be unsupported", unsupported, `{"spec":{"cleanup":null}}`, "is no longer false"},
		{"cleanup comes to be mentioned, as unsupported", func(object *olm.Object) {
			delete(object.Object["spec"].(map[string]any), "cleanup")
		}, `{"spec":{"cleanup":{"enabled":false}}}`, ""},
		{"operands are no longer to be kept", optedOut("true"), `{"metadata":{"annotations":{"` + optOutAnnotation + `":null}}}`, optOutAnnotation},
		{"operands are no longer to be kept, in other words", optedOut("true"), `{"metadata":{"annotations":{"` + optOutAnnotation + `":"false"}}}`, optOutAnnotation},
		{"operands are to be kept, in other words", optedOut("true"), `{"metadata":{"annotations":{"` + optOutAnnotation + `":"yes"}}}`, ""},
		{"what said nothing goes", optedOut("false"), `{"metadata":{"annotations":{"` + optOutAnnotation + `":null}}}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, user := range []string{tenant, olmAccount, grantedUser} {
				name := fmt.Sprintf("csv-%d-%s", number, user[:3])
				object := csv(namespace, name, optInFinalizer)
				tc.before(object)
				create(t, object)
				_, err := as(t, user).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType, []byte(tc.patch), metav1.PatchOptions{})
				if tc.says == "" || user == grantedUser {
					if err != nil {
						t.Errorf("%s: %v", user, err)
					}
					continue
				}
				if refused := refusal(optInPolicy, err); refused != nil {
					t.Errorf("%s: %v", user, refused)
				} else if !strings.Contains(err.Error(), tc.says) {
					t.Errorf("%s: the refusal does not say %q: %v", user, tc.says, err)
				}
			}
		})
	}
}

// An operator with very many kinds can be opted in and edited: the policy's expressions stay within their budget.
func TestOptIn_ManyOwnedKinds(t *testing.T) {
	namespace := space(t)
	kinds := []any{}
	for number := range 400 {
		kinds = append(kinds, owned(fmt.Sprintf("kind%d.example.com", number)))
	}
	object := csv(namespace, "many", optInFinalizer)
	object.Object["spec"].(map[string]any)["customresourcedefinitions"].(map[string]any)["owned"] = kinds
	create(t, object)
	slices.Reverse(kinds)
	body, err := json.Marshal(map[string]any{"spec": map[string]any{"customresourcedefinitions": map[string]any{"owned": kinds}}})
	must(t, err)
	_, err = as(t, tenant).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "many", types.MergePatchType, body, metav1.PatchOptions{})
	must(t, err)
}

// What kubectl shows to somebody without the right.
func TestOptIn_KubectlSaysWhatIsMissing(t *testing.T) {
	namespace := space(t)
	create(t, csv(namespace, "plain"))
	out, err := shared.Kubectl(t.Context(), "patch", "clusterserviceversion", "plain", "-n", namespace, "--as="+tenant, "--type=merge",
		"-p", `{"metadata":{"finalizers":["`+optInFinalizer+`"]}}`)
	if err == nil {
		t.Fatalf("it was allowed: %s", out)
	}
	for _, part := range []string{"Forbidden", optInFinalizer, `"cleanupstatuses/optin"`, "views.operators.coreos.com"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("it does not say %q: %v", part, err)
		}
	}
}

func ownsMore(t *testing.T) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"spec": map[string]any{"customresourcedefinitions": map[string]any{
		"owned": []any{owned("widgets.example.com"), owned("gadgets.example.com")},
	}}})
	must(t, err)
	return body
}

// bindIn gives a user a ClusterRole within a namespace.
func bindIn(ctx context.Context, namespace, user, role string) error {
	_, err := shared.Kube.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	}, metav1.CreateOptions{})
	return err
}
