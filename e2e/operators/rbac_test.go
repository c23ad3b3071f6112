package operators_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

func TestCopiedRBAC_R_004_16_InEachTarget(t *testing.T) {
	s := newScene(t, 2)
	s.install("reed.v1", secretsRules("get", "list"))
	for _, target := range s.targets {
		eventually(t, s.copied(target))
	}
	// The original changes, the binding's subjects as well.
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.home, "reed.v1", func(csv *olm.Object) {
		install := csv.Object["spec"].(map[string]any)["install"].(map[string]any)["spec"].(map[string]any)
		install["permissions"] = []any{map[string]any{"serviceAccountName": "reed", "rules": secretsRules("get", "list", "watch")}}
	}))
	must(t, olm.Mutate(t.Context(), shared.Any, roles, s.home, s.roleName(), func(role *olm.Object) {
		role.Object["rules"] = secretsRules("get", "list", "watch")
	}))
	for _, target := range s.targets {
		eventually(t, s.copied(target))
	}
}

// What an administrator or a tenant changes in a copy is put right; what a CSV does not ask for is not copied.
func TestCopiedRBAC_DriftAndEscalation(t *testing.T) {
	s := newScene(t, 1)
	s.install("reed.v1", secretsRules("get"))
	target := s.targets[0]
	eventually(t, s.copied(target))
	must(t, olm.Mutate(t.Context(), shared.Any, roles, target, s.roleName(), func(role *olm.Object) {
		role.Object["rules"] = secretsRules("*")
	}))
	eventually(t, s.copied(target))
	must(t, olm.Mutate(t.Context(), shared.Any, roleBindings, target, s.roleName(), func(binding *olm.Object) {
		binding.Object["subjects"] = []any{map[string]any{"kind": "User", "name": "mallory", "apiGroup": roles.Group}}
	}))
	eventually(t, s.copied(target))

	// Whoever edits the original Role gets nothing in other namespaces that the CSV does not ask for.
	must(t, olm.Mutate(t.Context(), shared.Any, roles, s.home, s.roleName(), func(role *olm.Object) {
		role.Object["rules"] = secretsRules("*")
	}))
	for range 20 {
		copied := s.found(roles, target, s.roleName())
		if asJSON(copied.Object["rules"]) == asJSON(secretsRules("*")) {
			t.Fatal("what the CSV does not ask for was copied")
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// Case 33: a Role of a tenant lies under the copy's name.
func TestCopiedRBAC_AForeignRoleIsNotOverwritten(t *testing.T) {
	s := newScene(t, 2)
	barn := s.targets[1]
	mine := object("rbac.authorization.k8s.io/v1", "Role", barn, "reed.v1-abc")
	mine.SetLabels(map[string]string{"mine": "yes"})
	mine.Object["rules"] = secretsRules("*")
	forged := object("rbac.authorization.k8s.io/v1", "RoleBinding", barn, "reed.v1-abc")
	forged.SetLabels(map[string]string{"mine": "yes"})
	forged.Object["roleRef"] = map[string]any{"apiGroup": roles.Group, "kind": "Role", "name": "reed.v1-abc"}
	forged.Object["subjects"] = []any{map[string]any{"kind": "ServiceAccount", "name": "other", "namespace": barn}}
	s.create(mine, forged)
	s.install("reed.v1", secretsRules("get", "list"))
	eventually(t, s.copied(s.targets[0]))
	s.told(s.home, "reed.v1", "CopiedRbacForeign")
	for _, resource := range []schema.GroupVersionResource{roles, roleBindings} {
		if s.found(resource, barn, "reed.v1-abc").GetLabels()["mine"] != "yes" {
			t.Errorf("the tenant's %s was changed", resource.Resource)
		}
	}
	// Once the namespace is no target any more nothing of the operator is left, and the tenant's is.
	s.retarget(s.targets[0])
	eventually(t, gone(olm.CSVs, barn, "reed.v1"))
	if s.found(roles, barn, "reed.v1-abc").GetLabels()["mine"] != "yes" {
		t.Error("the tenant's Role was changed")
	}
}

func TestCopiedRBAC_PrunedWithinAMinute(t *testing.T) {
	s := newScene(t, 2)
	s.install("reed.v1", secretsRules("get"))
	for _, target := range s.targets {
		eventually(t, s.copied(target))
	}
	stays, goes := poll(t, s, s.targets[0]), poll(t, s, s.targets[1])
	stays.letIn(t)
	goes.letIn(t)
	s.retarget(s.targets[0])
	goes.shutOut(t, time.Now())
	eventually(t, gone(roles, s.targets[1], s.roleName()))
	eventually(t, gone(roleBindings, s.targets[1], s.roleName()))
	stays.noGap(t)
	ended := time.Now()
	s.uninstall()
	stays.shutOut(t, ended)
	eventually(t, gone(roles, s.targets[0], s.roleName()))
	eventually(t, gone(roleBindings, s.targets[0], s.roleName()))
}

// A client that polls sees no gap while the controllers are killed, the copied CSV is made anew, and the Operator is.
func TestCopiedRBAC_R_004_19_WithoutAGap(t *testing.T) {
	s := newScene(t, 1)
	s.install("reed.v1", secretsRules("get"))
	target := s.targets[0]
	eventually(t, s.copied(target))
	p := poll(t, s, target)
	p.letIn(t)
	for range 3 {
		operating.Process.Kill()
		must(t, startOperating(t.Context()))
		eventually(t, s.copied(target))
	}
	p.noGap(t)
	must(t, shared.Any.Resource(olm.CSVs).Namespace(target).Delete(t.Context(), "reed.v1", metav1.DeleteOptions{}))
	eventually(t, s.copied(target))
	p.noGap(t)
	operator := ""
	for _, each := range s.found(roles, target, s.roleName()).GetOwnerReferences() {
		if each.Kind == "Operator" {
			operator = each.Name
		}
	}
	must(t, shared.Any.Resource(operators).Delete(t.Context(), operator, metav1.DeleteOptions{}))
	eventually(t, s.copied(target))
	p.noGap(t)
}

// Upstream's "e2e functionality": a group that selects namespaces by their labels.
func TestCopiedRBAC_AGroupThatSelects(t *testing.T) {
	s := newScene(t, 2)
	select1 := func(name string, labelled bool) {
		must(t, olm.Mutate(t.Context(), shared.Any, olm.Namespaces, "", name, func(namespace *olm.Object) {
			labels := namespace.GetLabels()
			delete(labels, "team")
			if labelled {
				labels["team"] = s.home
			}
			namespace.SetLabels(labels)
		}))
	}
	select1(s.targets[0], true)
	must(t, olm.Mutate(t.Context(), shared.Any, olm.OperatorGroups, s.home, "group", func(group *olm.Object) {
		group.Object["spec"] = map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"team": s.home}}}
	}))
	s.install("reed.v1", secretsRules("get"))
	eventually(t, s.copied(s.targets[0]))
	must(t, gone(roles, s.targets[1], s.roleName())())
	select1(s.targets[1], true)
	eventually(t, s.copied(s.targets[1]))
	p := poll(t, s, s.targets[1])
	p.letIn(t)
	ended := time.Now()
	select1(s.targets[1], false)
	p.shutOut(t, ended)
	must(t, s.copied(s.targets[0])())
}

// R-004-18, 19: the toggle is about operators for all namespaces alone.
func TestCopiedRBAC_TheToggleChangesNothing(t *testing.T) {
	s := newScene(t, 1)
	s.install("reed.v1", secretsRules("get"))
	target := s.targets[0]
	eventually(t, s.copied(target))
	p := poll(t, s, target)
	p.letIn(t)
	before := s.found(roles, target, s.roleName()).GetResourceVersion()
	config := object("operators.coreos.com/v1", "OLMConfig", "", "cluster")
	config.Object["spec"] = map[string]any{"features": map[string]any{"disableCopiedCSVs": true}}
	s.create(config)
	t.Cleanup(func() {
		_ = shared.Any.Resource(olmConfigs).Delete(context.Background(), "cluster", metav1.DeleteOptions{})
	})
	time.Sleep(2 * time.Second)
	must(t, olm.Mutate(t.Context(), shared.Any, olmConfigs, "", "cluster", func(config *olm.Object) {
		config.Object["spec"] = map[string]any{"features": map[string]any{"disableCopiedCSVs": false}}
	}))
	time.Sleep(2 * time.Second)
	p.noGap(t)
	if after := s.found(roles, target, s.roleName()).GetResourceVersion(); after != before {
		t.Errorf("the copy was written: %s, %s", before, after)
	}
}

// A kube-apiserver that learnt late that the Role was locked, or an administrator, has bound somebody: that is found, and answered.
func TestCopiedRBAC_ABindingThatIsMadeLater(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.install("reed.v1", reedsRules("get"))
	for _, target := range s.targets {
		eventually(t, s.copied(target))
	}
	target := s.targets[0]
	who := newTenant(t, "view", target)
	p := pollAs(t, who.client, reeds, target)
	began := time.Now()
	s.create(bindingOf(target, "later", s.roleName(), who.subject()))
	p.letIn(t)
	p.shutOut(t, began)
	s.told(s.home, "reed.v1", "CopiedRbacForeign")
	s.found(roleBindings, target, "later")
	must(t, s.copied(s.targets[1])())
	must(t, shared.Any.Resource(roleBindings).Namespace(target).Delete(t.Context(), "later", metav1.DeleteOptions{}))
	eventually(t, s.copied(target))
}

// Large Roles that bear OLM's labels, in the operator's namespace and in a target, are not held, and keep nothing from being copied and
// removed.
func TestCopiedRBAC_LargeRolesAreNotHeld(t *testing.T) {
	s := newScene(t, 2)
	s.install("reed.v1", secretsRules("get"))
	for _, target := range s.targets {
		eventually(t, s.copied(target))
	}
	must(t, operating.Stop())
	large := largeRules()
	original := s.found(roles, s.home, s.roleName())
	const count = 40
	atATime(t, count, func(i int) error {
		where, name := s.home, fmt.Sprintf("large-%02d", i)
		if i%2 == 1 {
			where = s.targets[0]
		}
		role := roleOf(where, name, large)
		role.SetLabels(original.GetLabels())
		if where == s.home {
			role.SetOwnerReferences(original.GetOwnerReferences())
			binding := bindingOf(where, name, name, serviceAccount(s.home, "reed"))
			binding.SetLabels(original.GetLabels())
			binding.SetOwnerReferences(original.GetOwnerReferences())
			if err := olm.CreateAs(context.Background(), shared.Any, roleBindings, binding); err != nil {
				return err
			}
		} else {
			role.SetLabels(forgedLabels("nowhere-"+s.home, where, "reed.v1"))
		}
		return olm.CreateAs(context.Background(), shared.Any, roles, role)
	})
	must(t, startOperating(t.Context()))
	s.told(s.home, "reed.v1", "CopiedRbacTooLarge")
	for _, target := range s.targets {
		must(t, s.copied(target)())
	}
	for i := range count {
		must(t, gone(roles, s.targets[1], fmt.Sprintf("large-%02d", i))())
	}
	p := poll(t, s, s.targets[0])
	p.letIn(t)
	ended := time.Now()
	s.retarget(s.targets[1])
	p.shutOut(t, ended)
	must(t, s.copied(s.targets[1])())
	most := peak(t)
	t.Logf("with %d Roles of %d bytes the most that was resident is %d MiB", count, len(asJSON(large)), most>>20)
	if most > 80<<20 {
		t.Errorf("the process was %d MiB", most>>20)
	}
}

// largeRules are 1.1 MB of rules.
func largeRules() []any {
	var large []any
	for i := 0; i < 1100; i++ {
		names := make([]any, 16)
		for k := range names {
			names[k] = fmt.Sprintf("%s-%05d-%02d", strings.Repeat("n", 50), i, k)
		}
		large = append(large, map[string]any{"apiGroups": []any{""}, "resources": []any{"secrets"}, "resourceNames": names, "verbs": []any{"get"}})
	}
	return large
}

// Garbage collection, whichever goes first.
func TestCopiedRBAC_ThreeOrdersOfDeletion(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(*scene){
		"the original": func(s *scene) { s.uninstall() },
		"the group": func(s *scene) {
			must(s.t, shared.Any.Resource(olm.OperatorGroups).Namespace(s.home).Delete(s.t.Context(), "group", metav1.DeleteOptions{}))
		},
		"the target": func(s *scene) {
			must(s.t, shared.Any.Resource(olm.Namespaces).Delete(s.t.Context(), s.targets[0], metav1.DeleteOptions{}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 1)
			s.install("reed.v1", secretsRules("get"))
			eventually(t, s.copied(s.targets[0]))
			remove(s)
			eventually(t, gone(roles, s.targets[0], s.roleName()))
			eventually(t, gone(roleBindings, s.targets[0], s.roleName()))
			if name == "the target" {
				eventually(t, gone(olm.Namespaces, "", s.targets[0]))
			}
		})
	}
}

// The overlay's policies hold whatever the process does.
func TestAccount_WritesCopiesOnly(t *testing.T) {
	s := newScene(t, 1)
	client, err := as(accountUser)
	must(t, err)
	copied := object("rbac.authorization.k8s.io/v1", "RoleBinding", s.targets[0], "b")
	labels := olm.OwnerLabels(s.targets[0], "reed.v1")
	labels["olm.copiedFrom"] = s.home
	copied.SetLabels(labels)
	copied.Object["roleRef"] = map[string]any{"apiGroup": roles.Group, "kind": "Role", "name": "b"}
	for what, change := range map[string]func(*olm.Object){
		"no label": func(b *olm.Object) { b.SetLabels(nil) },
		"its own source": func(b *olm.Object) {
			b.Object["metadata"].(map[string]any)["labels"].(map[string]any)["olm.copiedFrom"] = s.targets[0]
		},
		"no owner": func(b *olm.Object) { b.SetLabels(map[string]string{"olm.copiedFrom": s.home}) },
		"a user": func(b *olm.Object) {
			b.Object["subjects"] = []any{map[string]any{"kind": "User", "name": "m", "apiGroup": roles.Group}}
		},
		"another's": func(b *olm.Object) {
			b.Object["subjects"] = []any{map[string]any{"kind": "ServiceAccount", "name": "m", "namespace": "other"}}
		},
		"a ClusterRole":   func(b *olm.Object) { b.Object["roleRef"].(map[string]any)["kind"] = "ClusterRole" },
		"another's rules": func(b *olm.Object) { b.Object["roleRef"].(map[string]any)["name"] = "other" },
	} {
		forged := copied.DeepCopy()
		change(forged)
		_, err := client.Resource(roleBindings).Namespace(s.targets[0]).Create(t.Context(), forged, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := client.Resource(roleBindings).Namespace(s.targets[0]).Create(t.Context(), copied, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		t.Error(err)
	}
	for _, resource := range []schema.GroupVersionResource{olm.ClusterRoles, olm.ClusterRoleBindings} {
		err := client.Resource(resource).Delete(t.Context(), "cluster-admin", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v", resource.Resource, err)
		}
	}
}
