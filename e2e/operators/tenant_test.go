package operators_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// reeds are what the operator works with, and no tenant may: nobody serves them, and who may not read them is told so first.
var reeds = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "reeds"}

func reedsRules(verbs ...string) []any {
	return []any{map[string]any{"apiGroups": []any{reeds.Group}, "resources": []any{reeds.Resource}, "verbs": anys(verbs)}}
}

// tenant is a user with a client certificate, and Kubernetes' own ClusterRole for the owner of a namespace, in these namespaces.
type tenant struct {
	t      *testing.T
	name   string
	client dynamic.Interface
}

func newTenant(t *testing.T, role string, namespaces ...string) *tenant {
	t.Helper()
	who := &tenant{t: t, name: "mallory-of-" + namespaces[0]}
	kubeconfig, err := shared.User(who.name)
	must(t, err)
	config, err := cluster.ClientFor(kubeconfig)
	must(t, err)
	who.client, err = dynamic.NewForConfig(config)
	must(t, err)
	for _, namespace := range namespaces {
		binding := bindingOf(namespace, "tenant", role, who.subject())
		binding.Object["roleRef"].(map[string]any)["kind"] = "ClusterRole"
		must(t, olm.CreateAs(t.Context(), shared.Any, roleBindings, binding))
		must(t, check.Poll(func() error {
			_, err := who.client.Resource(serviceAccounts).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
			return err
		}))
	}
	return who
}

func (who *tenant) subject() map[string]any {
	return map[string]any{"kind": "User", "name": who.name, "apiGroup": roles.Group}
}

func roleOf(namespace, name string, rules []any) *olm.Object {
	role := object("rbac.authorization.k8s.io/v1", "Role", namespace, name)
	role.Object["rules"] = rules
	return role
}

func bindingOf(namespace, name, role string, subjects ...any) *olm.Object {
	binding := object("rbac.authorization.k8s.io/v1", "RoleBinding", namespace, name)
	binding.Object["roleRef"] = map[string]any{"apiGroup": roles.Group, "kind": "Role", "name": role}
	binding.Object["subjects"] = subjects
	return binding
}

func serviceAccount(namespace, name string) map[string]any {
	return map[string]any{"kind": "ServiceAccount", "name": name, "namespace": namespace}
}

// attempt is one step of a tenant. Kubernetes refuses it itself, or else it is to be in vain.
type attempt struct {
	what    string
	answers answer
	try     func() error
}

type answer int

const (
	allowed answer = iota
	refused
	// either: it depends on who was first.
	either
)

func refusedIf(yes bool) answer {
	if yes {
		return refused
	}
	return allowed
}

func (who *tenant) create(resource schema.GroupVersionResource, made *olm.Object) func() error {
	return func() error { return olm.CreateAs(who.t.Context(), who.client, resource, made.DeepCopy()) }
}

func (who *tenant) edit(resource schema.GroupVersionResource, namespace, name string, change func(*olm.Object)) func() error {
	return func() error { return olm.Mutate(who.t.Context(), who.client, resource, namespace, name, change) }
}

func (who *tenant) remove(resource schema.GroupVersionResource, namespace, name string) func() error {
	return func() error {
		return who.client.Resource(resource).Namespace(namespace).Delete(who.t.Context(), name, metav1.DeleteOptions{})
	}
}

func (who *tenant) play(attempts ...attempt) {
	who.t.Helper()
	for _, each := range attempts {
		err := each.try()
		// Nobody but an administrator may bind a Role that is not there.
		denied := apierrors.IsForbidden(err) || apierrors.IsNotFound(err)
		if each.answers == refused && !denied || each.answers == allowed && err != nil || each.answers == either && err != nil && !denied {
			who.t.Errorf("%s: %v", each.what, err)
		}
	}
}

// getsNothing fails the test if the user is ever let in to the operator's resource in a namespace, until the function is called.
func getsNothing(t *testing.T, client dynamic.Interface, resource schema.GroupVersionResource, namespaces ...string) (ends func()) {
	t.Helper()
	pollers := map[string]*poller{}
	for _, namespace := range namespaces {
		pollers[namespace] = pollAs(t, client, resource, namespace)
	}
	return func() {
		t.Helper()
		for namespace, p := range pollers {
			must(t, check.Poll(func() error {
				p.mutex.Lock()
				defer p.mutex.Unlock()
				if len(p.denied) == 0 {
					return fmt.Errorf("%s: it has not been asked", namespace)
				}
				return nil
			}))
			p.stop()
			if !p.allowed.IsZero() {
				t.Errorf("%s: let in to %s, last at %s", namespace, resource.Resource, p.allowed.Format("15:04:05.000"))
			}
			if p.failure != nil {
				t.Errorf("%s: %v", namespace, p.failure)
			}
		}
	}
}

func forgedLabels(source, namespace, csv string) map[string]string {
	labels := olm.OwnerLabels(namespace, csv)
	labels["olm.copiedFrom"], labels[olm.ManagedLabel] = source, "true"
	return labels
}

// settle gives the reconciler the time to do what it should not: until an operator that is installed afterwards works in its target.
func settle(t *testing.T) {
	t.Helper()
	s := newScene(t, 1)
	s.install("moss.v1", secretsRules("get"))
	eventually(t, s.copied(s.targets[0]))
	time.Sleep(time.Second)
}

// nudge has the operator looked at: objects that are in the way are looked at every half minute.
func (s *scene) nudge() {
	s.t.Helper()
	must(s.t, olm.Mutate(s.t.Context(), shared.Any, olm.CSVs, s.home, s.csv.GetName(), func(csv *olm.Object) {
		annotations := csv.GetAnnotations()
		annotations["nudged"] = time.Now().String()
		csv.SetAnnotations(annotations)
	}))
}

// The owner of a namespace that an operator works in has the operator's rights there under no name.
func TestTenant_OfATargetGetsNothing(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"admin", "edit"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 2)
			target, other := s.targets[0], s.targets[1]
			who := newTenant(t, role, target)
			edits := role == "edit" // it may write no Roles at all
			ends := getsNothing(t, who.client, reeds, s.home, target, other)

			// Before there is a copy: its name, with the labels and owners of one, and a binding of it.
			forged := roleOf(target, "reed.v1-abc", []any{})
			forged.SetLabels(forgedLabels(s.home, target, "reed.v1"))
			forged.SetOwnerReferences([]metav1.OwnerReference{{
				APIVersion: "operators.coreos.com/v1alpha1", Kind: "ClusterServiceVersion", Name: "reed.v1", UID: "forged",
			}})
			forgedBinding := bindingOf(target, "reed.v1-abc", "reed.v1-abc", who.subject())
			forgedBinding.SetLabels(forged.GetLabels())
			held := roleOf(target, "held", secretsRules("get", "list"))
			who.play(
				attempt{"a binding of a Role that is not there", refused, who.create(roleBindings, bindingOf(target, "mine", "reed.v1-abc", who.subject()))},
				attempt{"a Role with the operator's rights", refused, who.create(roles, roleOf(target, "mine", reedsRules("get")))},
				attempt{"the copy's name", refusedIf(edits), who.create(roles, forged)},
				// The Role is the cluster's garbage, as its owner is none.
				attempt{"a binding of it", either, who.create(roleBindings, bindingOf(target, "mine", "reed.v1-abc", who.subject()))},
				attempt{"the copied binding's name", either, who.create(roleBindings, forgedBinding)},
				attempt{"a Role of what they hold", refusedIf(edits), who.create(roles, held)},
				attempt{"the copy's name, with nothing forged", either, func() error {
					if err := who.create(roles, roleOf(target, "reed.v1-abc", []any{}))(); !apierrors.IsAlreadyExists(err) {
						return err
					}
					return nil
				}},
				attempt{"a binding of that", either, who.create(roleBindings, bindingOf(target, "also-mine", "reed.v1-abc", who.subject()))},
				attempt{"in another target", refused, who.create(roles, roleOf(other, "mine", []any{}))},
			)
			s.install("reed.v1", reedsRules("get"))
			eventually(t, func() error {
				// The other target is nobody's.
				if err := s.given(other)(); err != nil || edits {
					return err
				}
				told, err := eventsAbout(s.home, "reed.v1", "CopiedRbacForeign")
				if err == nil && told == 0 {
					err = fmt.Errorf("nothing is said about what is in the way")
				}
				return err
			})
			settle(t)
			if !edits {
				who.play(
					attempt{"out of the way", either, who.remove(roleBindings, target, "mine")},
					attempt{"out of the way", either, who.remove(roleBindings, target, "also-mine")},
					attempt{"out of the way", either, func() error {
						if there, err := lookUp(roles, target, s.roleName()); err != nil || there.GetLabels()["olm.copiedFrom"] != "" {
							return err
						}
						return who.remove(roles, target, s.roleName())()
					}},
				)
				s.nudge()
			}
			eventually(t, s.copied(target))

			// Beside the copies.
			mine := func(each *olm.Object) { each.Object["subjects"] = []any{who.subject()} }
			who.play(
				attempt{"the copy's subjects", refused, who.edit(roleBindings, target, s.roleName(), mine)},
				attempt{"a further subject", refused, who.edit(roleBindings, target, s.roleName(), func(each *olm.Object) {
					each.Object["subjects"] = append(each.Object["subjects"].([]any), who.subject())
				})},
				attempt{"the copy's rules", refused, who.edit(roles, target, s.roleName(), func(each *olm.Object) { each.Object["rules"] = reedsRules("*") })},
				attempt{"the copy as their own", refused, who.edit(roles, target, s.roleName(), func(each *olm.Object) {
					each.SetLabels(nil)
					each.SetOwnerReferences(nil)
				})},
				attempt{"a binding of the copy", refused, who.create(roleBindings, bindingOf(target, "mine", s.roleName(), who.subject()))},
				attempt{"rules that they hold", refusedIf(edits), who.edit(roles, target, s.roleName(), func(each *olm.Object) { each.Object["rules"] = secretsRules("get") })},
			)
			eventually(t, s.copied(target))
			if edits {
				ends()
				return
			}
			// The copies deleted, their names taken, and the operator's rights awaited.
			empty := roleOf(target, s.roleName(), []any{})
			for range 3 {
				must(t, who.remove(roleBindings, target, s.roleName())())
				must(t, who.remove(roles, target, s.roleName())())
				// Whoever is first has the name.
				_ = who.create(roles, empty)()
				_ = who.create(roleBindings, bindingOf(target, "mine", s.roleName(), who.subject()))()
				settle(t)
				_ = who.remove(roleBindings, target, "mine")()
				if there, err := lookUp(roles, target, s.roleName()); err == nil && there.GetLabels()["olm.copiedFrom"] == "" {
					must(t, who.remove(roles, target, s.roleName())())
				}
				s.nudge()
				eventually(t, s.copied(target))
			}
			s.uninstall()
			eventually(t, gone(roles, target, s.roleName()))
			ends()
		})
	}
}

// The owner of the namespace that an operator is installed in widens nothing in others: its Roles there give what its
// ClusterServiceVersion asks for, to whom it asks for.
func TestTenant_OfTheInstallNamespaceGetsNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	target := s.targets[0]
	s.install("reed.v1", reedsRules("get"))
	eventually(t, s.copied(target))
	who := newTenant(t, "admin", s.home)
	s.create(object("v1", "ServiceAccount", s.home, "other"))
	account, err := as("system:serviceaccount:" + s.home + ":other")
	must(t, err)
	operator, err := as("system:serviceaccount:" + s.home + ":reed")
	must(t, err)
	var ends []func()
	for _, each := range []dynamic.Interface{who.client, account} {
		ends = append(ends, getsNothing(t, each, reeds, target), getsNothing(t, each, secrets, target))
	}
	ends = append(ends, getsNothing(t, operator, secrets, target))

	labels := olm.OwnerLabels(s.home, "reed.v1")
	labels[olm.ManagedLabel] = "true"
	owned := func(made *olm.Object) *olm.Object {
		made.SetLabels(labels)
		made.SetOwnerReferences([]metav1.OwnerReference{{
			APIVersion: s.csv.GetAPIVersion(), Kind: s.csv.GetKind(), Name: s.csv.GetName(), UID: s.csv.GetUID(),
		}})
		return made
	}
	who.play(
		attempt{"the original's rules, beyond theirs", refused, who.edit(roles, s.home, s.roleName(), func(each *olm.Object) { each.Object["rules"] = reedsRules("*") })},
		attempt{"the original's subjects", refused, who.edit(roleBindings, s.home, s.roleName(), func(each *olm.Object) {
			each.Object["subjects"] = []any{who.subject(), serviceAccount(s.home, "other")}
		})},
		attempt{"the original's labels", refused, who.edit(roles, s.home, s.roleName(), func(each *olm.Object) { each.SetLabels(nil) })},
		attempt{"a forged original for the operator", allowed, who.create(roles, owned(roleOf(s.home, "forged", secretsRules("get", "list"))))},
		attempt{"its binding", allowed, who.create(roleBindings, owned(bindingOf(s.home, "forged", "forged",
			who.subject(), serviceAccount(s.home, "other"), serviceAccount(s.home, "reed"))))},
		attempt{"a forged original with every word", refused, who.create(roles, owned(roleOf(s.home, "every", []any{map[string]any{
			"apiGroups": []any{"*"}, "resources": []any{"*"}, "verbs": []any{"*"}}})))},
		attempt{"a forged copy", allowed, who.create(roles, func() *olm.Object {
			forged := roleOf(s.home, "copied", secretsRules("get"))
			forged.SetLabels(forgedLabels(target, s.home, "reed.v1"))
			return forged
		}())},
		attempt{"in the target", refused, who.create(roles, roleOf(target, "mine", []any{}))},
	)
	settle(t)
	must(t, s.copied(target)())
	list, err := shared.Any.Resource(roles).Namespace(target).List(context.Background(), metav1.ListOptions{})
	must(t, err)
	for _, each := range list.Items {
		rules, _ := each.Object["rules"].([]any)
		if name := each.GetName(); name != s.roleName() && len(rules) > 0 {
			t.Errorf("%s has a Role %s: %s", target, name, asJSON(each.Object["rules"]))
		}
	}
	// The rules that they hold: the operator has fewer, and nobody has more.
	must(t, who.edit(roles, s.home, s.roleName(), func(each *olm.Object) { each.Object["rules"] = secretsRules("get") })())
	settle(t)
	for _, end := range ends {
		end()
	}
}

// Whoever makes and deletes the copy's name and bindings of it, as fast as they can, finds no moment in which they have the rights.
func TestTenant_IsNeverFasterThanTheCopy(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	target := s.targets[0]
	s.install("reed.v1", reedsRules("get"))
	eventually(t, s.copied(target))
	who := newTenant(t, "admin", target)
	ends := getsNothing(t, who.client, reeds, target)
	var all sync.WaitGroup
	all.Go(func() {
		for range 200 {
			_ = who.create(roles, roleOf(target, s.roleName(), []any{}))()
			_ = who.remove(roles, target, s.roleName())()
		}
	})
	all.Go(func() {
		for range 200 {
			_ = who.create(roleBindings, bindingOf(target, "mine", s.roleName(), who.subject()))()
			_ = who.remove(roleBindings, target, "mine")()
			_ = who.remove(roleBindings, target, s.roleName())()
		}
	})
	all.Wait()
	s.nudge()
	eventually(t, s.copied(target))
	ends()
}
