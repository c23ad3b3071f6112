package cleanup_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"steward.dev/e2e/olm"
)

// Why custom resources of what an operator only claims to own are kept (R-000-79).
const (
	reservedGroup     = "ReservedGroup"
	notInstalledByOLM = "NotInstalledByOLM"
	servedByAnother   = "ServedByAnother"
)

// claim is an operator in all namespaces, and a definition that it only says it owns.
type claim struct {
	*scene
	reason string
	theirs string // the definition's group
}

func (c *claim) definition() string { return "things." + c.theirs }

func (c *claim) things() dynamic.ResourceInterface {
	return shared.Any.Resource(schema.GroupVersionResource{Group: c.theirs, Version: "v1", Resource: "things"}).Namespace(c.spaces[0])
}

// entry is what it says of the definition.
func (c *claim) entry() map[string]any { return (&scene{group: c.theirs}).described("Thing") }

// newClaim makes a definition with a custom resource that the controllers may delete as far as RBAC goes: if anything keeps
// it, it is the rule.
func newClaim(t *testing.T, reason string) *claim {
	t.Helper()
	s := newScene(t, 1)
	id, _, _ := strings.Cut(s.group, ".")
	c := &claim{scene: s, reason: reason}
	c.theirs = theirGroup(id, reason)
	c.stored(t)
	return c
}

func theirGroup(id, reason string) string {
	if reason == reservedGroup {
		return id + ".storage.k8s.io"
	}
	return "theirs-" + id + ".example.com"
}

func (c *claim) stored(t *testing.T) {
	t.Helper()
	definition := olm.Definition(c.theirs, "Thing", "Namespaced", "v1")
	if c.reason == reservedGroup {
		// A reserved group is one with OLM's sign, too: OLM puts it on what a bundle brings, also if it was there before.
		definition.SetAnnotations(map[string]string{"api-approved.kubernetes.io": "unapproved, a test"})
	} else {
		definition.SetLabels(nil)
	}
	cleanable(t, c.theirs)
	must(t, olm.CreateCRDs(t.Context(), shared.Any, definition))
	thing := &olm.Object{Object: map[string]any{"apiVersion": c.theirs + "/v1", "kind": "Thing"}}
	thing.SetName("theirs")
	_, err := c.things().Create(t.Context(), thing, metav1.CreateOptions{})
	must(t, err)
}

// kept checks that nobody ever asked for the deletion of what is not the operator's.
func (c *claim) kept(t *testing.T) {
	t.Helper()
	thing, err := c.things().Get(t.Context(), "theirs", metav1.GetOptions{})
	must(t, err)
	if thing.GetDeletionTimestamp() != nil {
		t.Errorf("%s is being deleted", nameOf(thing))
	}
	if sent := writes(t, c.theirs, ""); len(sent) > 0 {
		t.Errorf("the controllers sent %+v", sent)
	}
}

// bundled is an operator in all namespaces as OLM installs it: by OLM's account, and as the bundle says. Nobody has opted in.
func (s *scene) bundled(t *testing.T, owned ...any) {
	t.Helper()
	_, err := shared.Any.Resource(olm.OperatorGroups).Namespace(s.namespace).Get(t.Context(), "group", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		err = olm.Create(t.Context(), shared.Any, synced(s.namespace, "group"))
	}
	must(t, err)
	csv := s.csv()
	csv.SetFinalizers([]string{olm.Finalizer})
	owning(owned...)(csv.Object["spec"].(map[string]any))
	must(t, olm.Create(t.Context(), s.as(t, olmAccount), csv))
	must(t, olm.CreateDeployment(t.Context(), shared.Any, s.see(t)))
	s.grant(t)
}

// optIn is an administrator's, in the one write that kubectl steward makes of it.
func (s *scene) optIn(t *testing.T) {
	t.Helper()
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
		csv.SetFinalizers(append(csv.GetFinalizers(), optInFinalizer))
		must(t, olm.Confirm(t.Context(), shared.Any, csv))
	}))
	eventually(t, func() error { return s.held(t, true) })
}

// ownPatch is a merge patch by which an operator owns these, and has these finalizers if there are any to be set.
func ownPatch(t *testing.T, finalizers []string, owned ...any) []byte {
	t.Helper()
	patch := map[string]any{"spec": map[string]any{"customresourcedefinitions": map[string]any{"owned": owned}}}
	if finalizers != nil {
		patch["metadata"] = map[string]any{"finalizers": finalizers}
	}
	body, err := json.Marshal(patch)
	must(t, err)
	return body
}

// shown waits until a CleanupStatus is as wanted.
func (s *scene) shown(t *testing.T, client dynamic.Interface, wanted func(status map[string]any) bool) {
	t.Helper()
	eventually(t, func() error {
		object, err := client.Resource(olm.CleanupStatuses).Namespace(s.namespace).Get(t.Context(), csvName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		status, _ := object.Object["status"].(map[string]any)
		if !wanted(status) {
			return fmt.Errorf("it shows %v", status)
		}
		return nil
	})
}

// names are those of the definitions that a CleanupStatus shows as owned.
func names(status map[string]any) (names []string) {
	list, _, _ := unstructured.NestedSlice(status, "resources")
	for _, each := range list {
		resource := each.(map[string]any)
		names = append(names, fmt.Sprintf("%v.%v", resource["plural"], resource["group"]))
	}
	slices.Sort(names)
	return names
}

// Finding 4, R-000-79: whoever has an operator claim what is reserved, what OLM did not install or what is another
// operator's, and by whichever way: of that nothing is deleted, though somebody who may opt in agreed to it.
func TestClaims_R_000_79(t *testing.T) {
	t.Parallel()
	_, client := replica(t, "claims")
	routes := []struct {
		name  string
		claim func(*testing.T, *claim)
		made  bool // it claims in the end
	}{
		{"Bundle", func(t *testing.T, c *claim) {
			c.bundled(t, c.described("Widget"), c.entry())
			c.optIn(t)
		}, true},
		{"GitOps", claimThroughGitOps, true},
		{"NotOnceOptedIn", claimOnceOptedIn, false},
	}
	for _, reason := range []string{reservedGroup, notInstalledByOLM} {
		for _, route := range routes {
			t.Run(reason+"/"+route.name, func(t *testing.T) {
				t.Parallel()
				c := newClaim(t, reason)
				route.claim(t, c)
				c.uninstalled(t, client, route.made)
				c.kept(t)
			})
		}
	}
	t.Run("SharedOwner", func(t *testing.T) {
		t.Parallel()
		claimOfAnothers(t, client)
	})
	t.Run(notInstalledByOLM+"/UntilOLMDoes", func(t *testing.T) {
		t.Parallel()
		c := newClaim(t, notInstalledByOLM)
		must(t, olm.Mutate(t.Context(), shared.Any, olm.Definitions, "", c.definition(), func(definition *olm.Object) {
			definition.SetLabels(map[string]string{olm.ManagedLabel: "true"})
		}))
		c.bundled(t, c.described("Widget"), c.entry())
		c.optIn(t)
		c.operands(t, c.spaces[0], "own")
		c.operate(t, 0)
		c.uninstall(t)
		c.gone(t)
		c.cleaned(t, []string{c.spaces[0] + "/own"}, nil)
		if _, err := c.things().Get(t.Context(), "theirs", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("with OLM's sign it is the operator's: %v", err)
		}
	})
}

// uninstalled is the operator by an administrator; its own custom resource goes.
func (c *claim) uninstalled(t *testing.T, client dynamic.Interface, claims bool) {
	t.Helper()
	own := c.spaces[0] + "/own"
	c.operands(t, c.spaces[0], "own")
	owned := []string{"widgets." + c.group}
	if claims {
		owned = append(owned, c.definition())
		slices.Sort(owned)
	}
	// What it claims is shown; what of it is kept is known to the controllers alone, and told at the end.
	c.shown(t, client, func(status map[string]any) bool {
		return status["phase"] == "Ready" && status["blockers"] == nil && slices.Equal(names(status), owned)
	})
	c.uninstall(t)
	c.pendingIs(t, c.says(t, "WaitingOnCleanup", "for 1 CR"), own)
	c.shown(t, client, func(status map[string]any) bool {
		return (status["phase"] == "Deleting" || status["phase"] == "Stalled") && status["pendingCount"] == int64(1)
	})
	c.operate(t, 0)
	c.gone(t)
	c.cleaned(t, []string{own}, nil)
	told := "1 custom resource was deleted"
	if claims {
		told += "; kept: " + c.definition() + " (" + c.reason + ")"
	}
	c.tells(t, "Normal", "CleanupCompleted", told)
}

// claimThroughGitOps: the tool declares the finalizer alone. Whoever may edit the CSV takes it away and claims more, in one
// write, and the tool adds it again, by its own right (finding 6).
func claimThroughGitOps(t *testing.T, c *claim) {
	must(t, olm.OptInsSettle(t.Context(), shared.Any))
	c.bundled(t, c.described("Widget"))
	declared := &olm.Object{Object: map[string]any{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion"}}
	declared.SetName(csvName)
	declared.SetNamespace(c.namespace)
	declared.SetFinalizers([]string{optInFinalizer})
	tool := c.as(t, gitOps).Resource(olm.CSVs).Namespace(c.namespace)
	reconcile := func() {
		t.Helper()
		_, err := tool.Apply(t.Context(), csvName, declared, metav1.ApplyOptions{FieldManager: "gitops", Force: true})
		must(t, err)
		eventually(t, func() error {
			if c.see(t).GetLabels()[olm.ConfirmedLabel] == "" {
				return fmt.Errorf("nobody has confirmed it: %v", conditions(c.see(t)))
			}
			return c.held(t, true)
		})
	}
	reconcile()
	patch := ownPatch(t, []string{olm.Finalizer}, c.described("Widget"), c.entry())
	_, err := c.as(t, tenant).Resource(olm.CSVs).Namespace(c.namespace).Patch(t.Context(), csvName, types.MergePatchType, patch, metav1.PatchOptions{})
	must(t, err)
	eventually(t, func() error { return c.held(t, false) })
	reconcile()
}

// claimOnceOptedIn: what an administrator agreed to does not come to be more by anybody else's word, and whoever may delete
// the CSV as any other does not uninstall it.
func claimOnceOptedIn(t *testing.T, c *claim) {
	c.bundled(t, c.described("Widget"))
	c.optIn(t)
	before := c.see(t)
	patch := ownPatch(t, nil, c.described("Widget"), c.entry())
	for _, user := range []string{tenant, olmAccount} {
		_, err := c.as(t, user).Resource(olm.CSVs).Namespace(c.namespace).Patch(t.Context(), csvName, types.MergePatchType, patch, metav1.PatchOptions{})
		if err := refusedBy(olm.OptInPolicy, err); err != nil {
			t.Errorf("%s claims more: %v", user, err)
		}
	}
	csvs := c.as(t, editor).Resource(olm.CSVs).Namespace(c.namespace)
	if _, err := csvs.Patch(t.Context(), csvName, types.MergePatchType, patch, metav1.PatchOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("an editor claims more: %v", err)
	}
	for _, err := range []error{
		csvs.Delete(t.Context(), csvName, background),
		csvs.DeleteCollection(t.Context(), background, metav1.ListOptions{}),
		c.as(t, tenant).Resource(olm.CSVs).Namespace(c.namespace).Delete(t.Context(), csvName, background),
	} {
		if err := refusedBy(olm.UninstallPolicy, err); err != nil {
			t.Errorf("without the right to uninstall: %v", err)
		}
	}
	after := c.see(t)
	if after.GetUID() != before.GetUID() || after.GetGeneration() != before.GetGeneration() || after.GetDeletionTimestamp() != nil {
		t.Errorf("it was changed: %v", after.Object)
	}
}

// R-000-59: whoever claims another operator's definition has nothing of it deleted, nor of its own: which of the two is right
// nobody knows. Once the claim is taken back, what is its own is cleaned up.
func claimOfAnothers(t *testing.T, client dynamic.Interface) {
	theirs := newScene(t, 1)
	theirs.bundled(t, theirs.described("Widget"))
	theirs.operands(t, theirs.spaces[0], "theirs")
	for _, takenBack := range []bool{false, true} {
		t.Run(map[bool]string{false: "Claimed", true: "TakenBack"}[takenBack], func(t *testing.T) {
			s := newScene(t, 1)
			s.bundled(t, s.described("Widget"), theirs.described("Widget"))
			s.optIn(t)
			own := s.spaces[0] + "/own"
			s.operands(t, s.spaces[0], "own")
			s.operate(t, 0)
			s.shown(t, client, func(status map[string]any) bool {
				blockers, _, _ := unstructured.NestedSlice(status, "blockers")
				if status["phase"] != "Refused" || len(blockers) != 1 {
					return false
				}
				blocker := blockers[0].(map[string]any)
				return blocker["reason"] == "SharedOwner" && blocker["objectsElsewhere"] == int64(1) && blocker["objects"] == nil
			})
			if takenBack {
				_, err := s.as(t, tenant).Resource(olm.CSVs).Namespace(s.namespace).Patch(t.Context(), csvName, types.MergePatchType,
					ownPatch(t, nil, s.described("Widget")), metav1.PatchOptions{})
				must(t, err)
				s.shown(t, client, func(status map[string]any) bool { return status["phase"] == "Ready" })
			}
			s.uninstall(t)
			s.gone(t)
			if takenBack {
				s.cleaned(t, []string{own}, nil)
			} else {
				s.cleaned(t, nil, []string{own})
				s.tells(t, "Warning", "CleanupRefused", "SharedOwner")
			}
			theirs.cleaned(t, nil, []string{theirs.spaces[0] + "/theirs"})
		})
	}
}

// Finding 4: where the administrator has definitions cleaned up that OLM did not install, reserved ones are kept all the
// same: for those there is no way.
func unmanagedDefinitions(t *testing.T, kinds *scene, reason string) {
	r := newRun(t, kinds, 1)
	r.flags = append(slices.Clone(soloFlags), "--cleanup-unmanaged-definitions")
	c := &claim{scene: r.scene, reason: reason, theirs: theirGroup(r.id, reason)}
	c.stored(t)
	thing, err := c.things().Get(t.Context(), "theirs", metav1.GetOptions{})
	must(t, err)
	r.oracle.note([]olm.Object{*thing})
	r.api = c.theirs
	r.install(t, synced(r.namespace, "group", r.spaces[0]), "a")
	_, err = shared.Any.Resource(olm.CSVs).Namespace(r.namespace).Patch(t.Context(), csvName, types.MergePatchType,
		ownPatch(t, nil, r.described("Widget"), c.entry()), metav1.PatchOptions{})
	must(t, err)
	r.finishAll(t, 4*glance)
	r.uninstall(t)
	r.ends(t, patience)
	if there, _ := r.operandsIn(t, r.spaces[0]); len(there) > 0 {
		t.Errorf("%q are left", there)
	}
	if reason == reservedGroup {
		c.kept(t)
		r.tells(t, "Normal", "CleanupCompleted", c.definition()+" ("+reason+")")
	} else if _, err := c.things().Get(t.Context(), "theirs", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("it was kept: %v", err)
	}
}
