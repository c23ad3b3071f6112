package deploy

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

// mark puts a refusal and a record into Steward's annotations.
func mark(object *olm.Object) {
	object.SetAnnotations(map[string]string{marks + "cleanup-refused": "SharedOwner", marks + "cleanup-record": "{}"})
	object.SetLabels(map[string]string{marks + "confirmed-by": "somebody"})
}

// marked makes an object that is opted in, and was marked afterwards. Without a name it gets one with the prefix.
func marked(t *testing.T, namespace, name, prefix string) *olm.Object {
	t.Helper()
	object := csv(namespace, name, optInFinalizer, "example.com/other")
	object.SetGenerateName(prefix)
	csvs := shared.Any.Resource(olm.CSVs).Namespace(namespace)
	object, err := csvs.Create(t.Context(), object, metav1.CreateOptions{})
	must(t, err)
	mark(object)
	object, err = csvs.Update(t.Context(), object, metav1.UpdateOptions{})
	must(t, err)
	return object
}

// What changes Steward's annotations while the finalizer is there, before a write or after it.
var markChanges = []struct{ name, patch string }{
	{"a refusal is removed", `{"metadata":{"annotations":{"` + marks + `cleanup-refused":null}}}`},
	{"a refusal is changed", `{"metadata":{"annotations":{"` + marks + `cleanup-refused":""}}}`},
	{"a record is removed", `{"metadata":{"annotations":{"` + marks + `cleanup-record":null}}}`},
	{"a record is widened", `{"metadata":{"annotations":{"` + marks + `cleanup-record":"{\"targets\":\"*\"}"}}}`},
	{"all annotations are removed", `{"metadata":{"annotations":null}}`},
	{"a label is removed", `{"metadata":{"labels":{"` + marks + `confirmed-by":null}}}`},
	{"all labels are removed", `{"metadata":{"labels":null}}`},
	{"an opt-in is confirmed", `{"metadata":{"labels":{"` + marks + `opt-in-confirmed":"1"}}}`},
	{"a label of a later version", `{"metadata":{"labels":{"` + marks + `anything":"1"}}}`},
	{"rights are said to be released", `{"metadata":{"annotations":{"` + marks + `rights-released":"1"}}}`},
	{"an annotation of a later version", `{"metadata":{"annotations":{"` + marks + `anything":"1"}}}`},
	{"among other changes", `{"metadata":{"annotations":{"a":"b","` + marks + `cleanup-refused":null},"labels":{"a":"b"}},"spec":{"displayName":"Other"}}`},
	{"in the write that removes the finalizer", `{"metadata":{"finalizers":null,"annotations":{"` + marks + `cleanup-refused":null}}}`},
}

// R-000-80: what Steward wrote down is changed by those who may opt in, and by nobody else.
func TestMarks_R_000_80_AreStewards(t *testing.T) {
	namespace := space(t)
	for _, user := range []string{wideUser, grantedUser, gitOps, olmAccount} {
		hasRight(t, user)
	}
	for number, tc := range markChanges {
		t.Run(tc.name, func(t *testing.T) {
			for _, user := range []struct {
				account string
				may     bool
			}{
				{clusterAdmin, true}, {grantedUser, true}, {gitOps, true},
				{tenant, false}, {uninstaller, false}, {halfGranted, false}, {olmAccount, false}, {olmElsewhere, false},
			} {
				object := marked(t, namespace, "", fmt.Sprintf("csv-%d-", number))
				_, err := as(t, user.account).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), object.GetName(), types.MergePatchType, []byte(tc.patch), metav1.PatchOptions{})
				if user.may {
					if err != nil {
						t.Errorf("%q: %v", user.account, err)
					}
				} else if refused := refusal(optInPolicy, err); refused != nil {
					t.Errorf("%q: %v", user.account, refused)
				} else if !strings.Contains(err.Error(), "annotation "+marks) && !strings.Contains(err.Error(), "label "+marks) {
					t.Errorf("%q: the refusal does not name the annotation or label: %v", user.account, err)
				}
			}
		})
	}
}

// A whole object that somebody had saved before says nothing of a refusal that came since: it does not take it away.
func TestMarks_R_000_80_AnOldObjectIsNotPutBack(t *testing.T) {
	namespace := space(t)
	marked(t, namespace, "refused", "")
	csvs := as(t, tenant).Resource(olm.CSVs).Namespace(namespace)
	must(t, olm.Mutate(t.Context(), as(t, tenant), olm.CSVs, namespace, "refused", func(object *olm.Object) {
		object.SetLabels(map[string]string{"a": "b", marks + "confirmed-by": "somebody"}) // marks and all, as everybody writes them
	}))
	object, err := csvs.Get(t.Context(), "refused", getOptions)
	must(t, err)
	object.SetAnnotations(nil)
	_, err = csvs.Update(t.Context(), object, metav1.UpdateOptions{})
	must(t, refusal(optInPolicy, err))
	applied := csv(namespace, "refused", optInFinalizer)
	delete(applied.Object, "status")
	applied.SetAnnotations(map[string]string{marks + "cleanup-refused": "no"})
	_, err = csvs.Apply(t.Context(), "refused", applied, metav1.ApplyOptions{FieldManager: "e2e", Force: true})
	must(t, refusal(optInPolicy, err))
}

// Without the finalizer the annotations mean nothing, and are anybody's.
func TestMarks_R_000_80_MeanNothingWithoutTheFinalizer(t *testing.T) {
	namespace := space(t)
	object := csv(namespace, "plain")
	mark(object)
	create(t, object)
	_, err := as(t, tenant).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "plain", types.MergePatchType,
		[]byte(`{"metadata":{"annotations":{"`+marks+`cleanup-refused":null}}}`), metav1.PatchOptions{})
	must(t, err)
}

// Nobody knows who wrote them then: what was planted does not come to mean something by an opt-in, whoever opts in.
func TestMarks_R_000_80_AreNotThereBeforeTheOptIn(t *testing.T) {
	namespace := space(t)
	planted := csv(namespace, "planted")
	planted.SetAnnotations(map[string]string{marks + "rights-released": "Completed"})
	create(t, planted)
	csvs := as(t, clusterAdmin).Resource(olm.CSVs).Namespace(namespace)
	optIn := []byte(`{"metadata":{"finalizers":["` + optInFinalizer + `"]}}`)
	_, err := csvs.Patch(t.Context(), "planted", types.MergePatchType, optIn, metav1.PatchOptions{})
	must(t, refusal(optInPolicy, err))
	if !strings.Contains(err.Error(), "annotation "+marks+"rights-released") {
		t.Errorf("the refusal does not name the annotation: %v", err)
	}
	created := csv(namespace, "created", optInFinalizer)
	created.SetAnnotations(planted.GetAnnotations())
	_, err = csvs.Create(t.Context(), created, metav1.CreateOptions{})
	must(t, refusal(optInPolicy, err))
	_, err = csvs.Patch(t.Context(), "planted", types.MergePatchType,
		[]byte(`{"metadata":{"annotations":{"`+marks+`rights-released":null},"finalizers":["`+optInFinalizer+`"]}}`), metav1.PatchOptions{})
	must(t, err)
}

// R-000-76, finding 1: an opt-in from before the policy is there, and only those who may opt in can say that it is meant.
func TestMarks_R_000_76_OlderOptInsAreNotConfirmedByAnybody(t *testing.T) {
	namespace := space(t)
	live, err := shared.Any.Resource(policies).Get(t.Context(), optInPolicy, getOptions)
	must(t, err)
	confirm := `{"metadata":{"labels":{"` + marks + `opt-in-confirmed":"` + string(live.GetUID()) + `"}}}`
	create(t, csv(namespace, "older", optInFinalizer))
	hasRight(t, gitOps)
	for _, user := range []string{tenant, uninstaller, olmAccount} {
		_, err := as(t, user).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "older", types.MergePatchType, []byte(confirm), metav1.PatchOptions{})
		if refused := refusal(optInPolicy, err); refused != nil {
			t.Errorf("%s: %v", user, refused)
		}
	}
	_, err = as(t, gitOps).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "older", types.MergePatchType, []byte(confirm), metav1.PatchOptions{})
	must(t, err)
}

// Nor is one that is created with its confirmation. OLM copies the label with all others: a copy, without the finalizer, is
// made and changed as ever.
func TestMarks_R_000_76_NobodyCreatesAConfirmedOne(t *testing.T) {
	namespace := space(t)
	hasRight(t, olmAccount)
	for _, user := range []string{tenant, uninstaller, olmAccount} {
		object := csv(namespace, "confirmed", optInFinalizer)
		must(t, olm.Confirm(t.Context(), shared.Any, object))
		_, err := as(t, user).Resource(olm.CSVs).Namespace(namespace).Create(t.Context(), object, metav1.CreateOptions{})
		if refused := refusal(optInPolicy, err); refused != nil {
			t.Errorf("%s: %v", user, refused)
		}
	}
	copied := csv(namespace, "copied")
	must(t, olm.Confirm(t.Context(), shared.Any, copied))
	copied.SetLabels(map[string]string{olm.CopiedFromLabel: "elsewhere", olm.ConfirmedLabel: copied.GetLabels()[olm.ConfirmedLabel]})
	csvs := as(t, olmAccount).Resource(olm.CSVs).Namespace(namespace)
	_, err := csvs.Create(t.Context(), copied, metav1.CreateOptions{})
	must(t, err)
	for _, value := range []string{`"2"`, "null"} {
		_, err = csvs.Patch(t.Context(), "copied", types.MergePatchType, []byte(`{"metadata":{"labels":{"`+olm.ConfirmedLabel+`":`+value+`}}}`), metav1.PatchOptions{})
		must(t, err)
	}
}

// Finding 6: one write may remove the finalizer and own more, as two writes may. A GitOps tool that declares the finalizer
// alone agrees to whatever it finds then; one that declares what is owned beside it takes the rest back.
func TestMarks_R_000_80_GitOpsDeclaresWhatItAgreesTo(t *testing.T) {
	namespace := space(t)
	hasRight(t, gitOps)
	tool := as(t, gitOps).Resource(olm.CSVs).Namespace(namespace)
	declare := func(t *testing.T, name string, whole bool) []any {
		t.Helper()
		create(t, csv(namespace, name))
		declared := csv(namespace, name, optInFinalizer)
		delete(declared.Object, "status")
		if !whole {
			delete(declared.Object, "spec")
		}
		apply := func() *olm.Object {
			applied, err := tool.Apply(t.Context(), name, declared, metav1.ApplyOptions{FieldManager: "gitops", Force: true})
			must(t, err)
			return applied
		}
		apply()
		_, err := as(t, tenant).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":null},"spec":{"customresourcedefinitions":{"owned":[{"name":"gadgets.example.com","version":"v1","kind":"Gadget"}]}}}`), metav1.PatchOptions{})
		must(t, err)
		return apply().Object["spec"].(map[string]any)["customresourcedefinitions"].(map[string]any)["owned"].([]any)
	}
	for name, want := range map[string]string{"finalizer-alone": "gadgets.example.com", "declared-whole": "widgets.example.com"} {
		owned := declare(t, name, name == "declared-whole")
		if len(owned) != 1 || owned[0].(map[string]any)["name"] != want {
			t.Errorf("%s: owned are %v, want %s", name, owned, want)
		}
	}
}
