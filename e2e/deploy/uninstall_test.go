package deploy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

// R-000-77, finding 5: deleting an operator that is opted in needs a right that editors of a namespace do not have.
func TestUninstall_R_000_77_IsAuthorised(t *testing.T) {
	namespace := space(t)
	for _, user := range []string{wideUser, grantedUser, uninstaller, gitOps, olmAccount, olmElsewhere} {
		mayUninstall(t, user)
	}
	everyone := []string{
		clusterAdmin, wideUser, grantedUser, uninstaller, gitOps, namespaceController,
		olmAccount, olmElsewhere, olmNarrow, garbageCollector, tenant, editor, halfGranted,
	}
	allowed, upgrades := everyone[:6], everyone[:9]
	for number, tc := range []struct {
		name   string
		object func(*olm.Object)
		may    []string
	}{
		{"opted in", nil, allowed},
		{"opted in, and broken", phase("Failed"), allowed},
		// By the end of its owners, with which nothing is cleaned up.
		{"opted in, with an owner", func(object *olm.Object) {
			object.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "gone", UID: "gone"}})
		}, append(slices.Clone(allowed), garbageCollector)},
		{"not opted in", withoutFinalizers, everyone},
		{"cleanup not supported", unsupported, everyone},
		{"cleanup not mentioned", unmentioned, allowed},
		// OLM deletes what it upgraded, whatever it may. To others the phase is the word of whoever may write the status, as is the next.
		{"said to be upgraded", phase("Replacing"), upgrades},
		{"said to be left from an upgrade", phase("Deleting"), upgrades},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, user := range everyone {
				object := csv(namespace, "", optInFinalizer)
				object.SetGenerateName(fmt.Sprintf("csv-%d-", number))
				if tc.object != nil {
					tc.object(object)
				}
				status := object.Object["status"]
				object, err := shared.Any.Resource(olm.CSVs).Namespace(namespace).Create(t.Context(), object, metav1.CreateOptions{})
				must(t, err)
				object.Object["status"] = status
				_, err = shared.Any.Resource(olm.CSVs).Namespace(namespace).UpdateStatus(t.Context(), object, metav1.UpdateOptions{})
				must(t, err)
				err = as(t, user).Resource(olm.CSVs).Namespace(namespace).Delete(t.Context(), object.GetName(), background)
				there, deleting := isDeleting(t, namespace, object.GetName())
				if slices.Contains(tc.may, user) {
					if err != nil || there && !deleting {
						t.Errorf("%q: %v; there %v, deleting %v", user, err, there, deleting)
					}
					continue
				}
				if refused := refusal(uninstallPolicy, err); refused != nil {
					t.Errorf("%q: %v", user, refused)
				}
				if !there || deleting {
					t.Errorf("%q: refused, but there %v, deleting %v", user, there, deleting)
				}
			}
		})
	}
}

// Finding 5: "delete all" reaches nothing that is opted in, and what is being deleted already may be deleted again.
func TestUninstall_R_000_77_DeleteCollection(t *testing.T) {
	namespace := space(t)
	create(t, csv(namespace, "opted-in", optInFinalizer))
	csvs := as(t, editor).Resource(olm.CSVs).Namespace(namespace)
	must(t, refusal(uninstallPolicy, csvs.DeleteCollection(t.Context(), background, metav1.ListOptions{})))
	if there, deleting := isDeleting(t, namespace, "opted-in"); !there || deleting {
		t.Errorf("there %v, deleting %v", there, deleting)
	}
	must(t, as(t, uninstaller).Resource(olm.CSVs).Namespace(namespace).Delete(t.Context(), "opted-in", background))
	must(t, csvs.Delete(t.Context(), "opted-in", background))
}

// OLM deletes what says that it is left from an upgrade, and that is in the status, which others may write. So it deletes nothing
// else, whatever its rights; and what was deleted because of its phase does not come to be in another in which it is cleaned up.
func TestUninstall_R_000_77_NotByWayOfOLM(t *testing.T) {
	namespace := space(t)
	phases := func(user, name, phase string) error {
		return olm.MutateStatus(t.Context(), as(t, user), olm.CSVs, namespace, name, func(csv *olm.Object) {
			status, _ := csv.Object["status"].(map[string]any)
			if status == nil {
				status = map[string]any{}
			}
			status["phase"] = phase
			csv.Object["status"] = status
		})
	}
	mayUninstall(t, olmAccount)
	create(t, csv(namespace, "opted-in", optInFinalizer))
	must(t, phases(clusterAdmin, "opted-in", "Succeeded"))
	byOLM := func(name string) error {
		return as(t, olmAccount).Resource(olm.CSVs).Namespace(namespace).Delete(t.Context(), name, background)
	}
	must(t, refusal(uninstallPolicy, byOLM("opted-in")))
	must(t, phases(clusterAdmin, "opted-in", "Deleting"))
	must(t, byOLM("opted-in"))
	for _, user := range []string{clusterAdmin, grantedUser, olmAccount} {
		err := phases(user, "opted-in", "Succeeded")
		must(t, refusal(uninstallPolicy, err))
		if !strings.Contains(err.Error(), "cannot become Succeeded any more") {
			t.Errorf("the refusal does not say why: %v", err)
		}
	}
	must(t, phases(olmAccount, "opted-in", "Failed"))
	// Of others it is nobody's business, and a deletion that began in this phase may be told.
	create(t, csv(namespace, "not-opted-in", "example.com/other"))
	must(t, phases(clusterAdmin, "not-opted-in", "Deleting"))
	must(t, byOLM("not-opted-in"))
	must(t, phases(clusterAdmin, "not-opted-in", "Succeeded"))
	create(t, csv(namespace, "right", optInFinalizer))
	must(t, phases(clusterAdmin, "right", "Succeeded"))
	must(t, as(t, clusterAdmin).Resource(olm.CSVs).Namespace(namespace).Delete(t.Context(), "right", background))
	must(t, phases(olmAccount, "right", "Succeeded"))
}

// Otherwise an owner that anybody can delete would have the garbage collector do what its author may not.
func TestUninstall_R_000_77_NotByWayOfAnOwner(t *testing.T) {
	namespace := space(t)
	owner := `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"gone","uid":"11111111-2222-3333-4444-555555555555"}]}}`
	create(t, csv(namespace, "opted-in", optInFinalizer))
	_, err := as(t, tenant).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "opted-in", types.MergePatchType, []byte(owner), metav1.PatchOptions{})
	must(t, refusal(optInPolicy, err))
	if !strings.Contains(err.Error(), "metadata.ownerReferences") {
		t.Errorf("the refusal does not say why: %v", err)
	}
	hasRight(t, grantedUser)
	_, err = as(t, grantedUser).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "opted-in", types.MergePatchType, []byte(owner), metav1.PatchOptions{})
	must(t, err)
	// Under another name or kind the garbage collector would take the owner for gone.
	for _, change := range []string{`"kind":"ConfigMap","name":"other"`, `"kind":"Secret","name":"gone"`} {
		patch := `{"metadata":{"ownerReferences":[{"apiVersion":"v1",` + change + `,"uid":"11111111-2222-3333-4444-555555555555"}]}}`
		_, err = as(t, tenant).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "opted-in", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		must(t, refusal(optInPolicy, err))
	}
	// Nothing is cleaned up while it has an owner. So whoever may not opt in cannot take it off either, and nobody can once it
	// is being deleted: the garbage collector may have done that.
	patch := func(user, body string) error {
		_, err := as(t, user).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "opted-in", types.MergePatchType, []byte(body), metav1.PatchOptions{})
		return err
	}
	const none = `{"metadata":{"ownerReferences":null}}`
	must(t, patch(tenant, `{"metadata":{"labels":{"a":"b"}}}`))
	must(t, refusal(optInPolicy, patch(tenant, none)))
	must(t, patch(garbageCollector, none))
	must(t, patch(grantedUser, owner))
	must(t, patch(grantedUser, none))
	must(t, patch(grantedUser, owner))
	must(t, as(t, clusterAdmin).Resource(olm.CSVs).Namespace(namespace).Delete(t.Context(), "opted-in", background))
	err = patch(clusterAdmin, none)
	must(t, refusal(optInPolicy, err))
	if !strings.Contains(err.Error(), "cannot lose one any more") {
		t.Errorf("the refusal does not say why: %v", err)
	}
	must(t, patch(tenant, `{"metadata":{"finalizers":null,"ownerReferences":null}}`))
}

// Who deletes what says that cleanup is not supported needs no right to uninstall. So it does not come to be supported
// after that, by nobody: a GitOps tool that puts it back would have its custom resources deleted.
func TestUninstall_R_000_77_NotByWhatIsSaidAfterwards(t *testing.T) {
	namespace := space(t)
	create(t, csv(namespace, "healed", optInFinalizer))
	patch := func(user, body string) error {
		_, err := as(t, user).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), "healed", types.MergePatchType, []byte(body), metav1.PatchOptions{})
		return err
	}
	must(t, patch(tenant, `{"spec":{"cleanup":{"enabled":false}}}`))
	must(t, as(t, tenant).Resource(olm.CSVs).Namespace(namespace).Delete(t.Context(), "healed", background))
	for _, body := range []string{`{"spec":{"cleanup":{"enabled":true}}}`, `{"spec":{"cleanup":null}}`} {
		err := patch(clusterAdmin, body)
		must(t, refusal(optInPolicy, err))
		if !strings.Contains(err.Error(), "cannot become true any more") {
			t.Errorf("the refusal does not say why: %v", err)
		}
	}
	must(t, patch(tenant, `{"metadata":{"labels":{"a":"b"}}}`))
	must(t, patch(tenant, `{"metadata":{"finalizers":null}}`))
}

// The message says what is missing and names the way out, and the way works.
func TestUninstall_R_000_77_TheMessageNamesTheWayOut(t *testing.T) {
	namespace := space(t)
	create(t, csv(namespace, "shown", optInFinalizer))
	remove := []string{"delete", "clusterserviceversion", "shown", "-n", namespace, "--as=" + tenant, "--wait=false"}
	out, err := shared.Kubectl(t.Context(), remove...)
	if err == nil {
		t.Fatalf("it was allowed: %s", out)
	}
	for _, part := range []string{`"cleanupstatuses/uninstall"`, "ClusterRole steward-cleanup-uninstall", optInFinalizer,
		"kubectl edit clusterserviceversion shown -n " + namespace} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("it does not say %q: %v", part, err)
		}
	}
	_, err = shared.Kubectl(t.Context(), "patch", "clusterserviceversion", "shown", "-n", namespace, "--as="+tenant, "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	must(t, err)
	_, err = shared.Kubectl(t.Context(), remove...)
	must(t, err)
	if there, _ := isDeleting(t, namespace, "shown"); there {
		t.Error("it is still there")
	}
}

// R-000-85: an operator that was counted as an owner is not hidden behind a copy's label, by nobody.
func TestCopiedFrom_R_000_85_IsChangedByWhoMakesCopies(t *testing.T) {
	namespace := space(t)
	label := func(value string) string {
		return `{"metadata":{"labels":{"` + olm.CopiedFromLabel + `":` + value + `}}}`
	}
	// Whoever may create service accounts chooses their names.
	impostor := "system:serviceaccount:" + namespace + ":olm-operator-serviceaccount"
	must(t, bind(t.Context(), impostor, "cluster-admin"))
	hasRight(t, impostor)
	number := 0
	for _, change := range []struct {
		name, patch string
		labels      map[string]string
		refused     bool
	}{
		{"added", label(`"elsewhere"`), nil, true},
		{"added, empty", label(`""`), nil, true},
		{"changed", label(`"elsewhere"`), map[string]string{olm.CopiedFromLabel: "here"}, true},
		{"removed", label(`null`), map[string]string{olm.CopiedFromLabel: "here"}, true},
		{"removed with all others", `{"metadata":{"labels":null}}`, map[string]string{olm.CopiedFromLabel: "here", "a": "b"}, true},
		{"kept", label(`"here"`), map[string]string{olm.CopiedFromLabel: "here"}, false},
		{"not there", `{"metadata":{"labels":{"a":"b"}}}`, nil, false},
	} {
		t.Run(change.name, func(t *testing.T) {
			for _, user := range []struct {
				account string
				may     bool
			}{
				{olmAccount, true}, {copier, true},
				{clusterAdmin, false}, {wideUser, false}, {tenant, false}, {gitOps, false}, {olmElsewhere, false}, {impostor, false},
			} {
				number++
				name := fmt.Sprintf("csv-%d", number)
				object := csv(namespace, name)
				object.SetLabels(change.labels)
				create(t, object) // everybody may create an object with the label
				_, err := as(t, user.account).Resource(olm.CSVs).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType, []byte(change.patch), metav1.PatchOptions{})
				if change.refused && !user.may {
					err = refusal(copiedPolicy, err)
				}
				if err != nil {
					t.Errorf("%q: %v", user.account, err)
				}
			}
		})
	}
}
