package operators_test

import (
	"fmt"
	"slices"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

const liftedLabel = "steward.operatorframework.io/lifted"

var priorityClasses = schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"}

// mayList says whether the operator's account may list Secrets in a namespace.
func (s *scene) mayList(namespace string, want bool) func() error {
	return func() error {
		review, err := shared.Kube.AuthorizationV1().SubjectAccessReviews().Create(s.t.Context(), &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{
				User:               "system:serviceaccount:" + s.home + ":reed",
				ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "list", Resource: "secrets"},
			},
		}, metav1.CreateOptions{})
		if err == nil && review.Status.Allowed != want {
			err = fmt.Errorf("may list Secrets in %s: %v", namespace, review.Status.Allowed)
		}
		return err
	}
}

// Case 69: an operator that works in all namespaces may do so; and no longer than that.
func TestLifted_ForAllNamespaces(t *testing.T) {
	s := newScene(t, 1)
	s.install("lifted.v1", secretsRules("get", "list"))
	target := s.targets[0]
	eventually(t, s.mayList(target, true))
	must(t, s.mayList("default", false)())
	must(t, olm.Mutate(t.Context(), shared.Any, olm.OperatorGroups, s.home, "group", func(group *olm.Object) {
		delete(group.Object["spec"].(map[string]any), "targetNamespaces")
	}))
	eventually(t, s.mayList("default", true))
	for _, resource := range []schema.GroupVersionResource{olm.ClusterRoles, olm.ClusterRoleBindings} {
		labels := s.found(resource, "", s.roleName()).GetLabels()
		if labels[liftedLabel] != "true" || labels["olm.owner"] != "lifted.v1" || labels["olm.owner.namespace"] != s.home {
			t.Errorf("%s has the labels %v", resource.Resource, labels)
		}
	}
	s.retarget(target)
	eventually(t, s.mayList("default", false))
	eventually(t, gone(olm.ClusterRoles, "", s.roleName()))
	must(t, olm.Mutate(t.Context(), shared.Any, olm.OperatorGroups, s.home, "group", func(group *olm.Object) {
		delete(group.Object["spec"].(map[string]any), "targetNamespaces")
	}))
	eventually(t, s.mayList("default", true))
	s.uninstall()
	eventually(t, gone(olm.ClusterRoles, "", s.roleName()))
	eventually(t, gone(olm.ClusterRoleBindings, "", s.roleName()))
}

// A Role of the name of somebody's ClusterRole binds nobody to that; the policy holds it, too.
func TestLifted_NothingElseIsBound(t *testing.T) {
	s := newScene(t, 0)
	must(t, olm.Mutate(t.Context(), shared.Any, olm.OperatorGroups, s.home, "group", func(group *olm.Object) {
		delete(group.Object["spec"].(map[string]any), "targetNamespaces")
	}))
	s.install("lifted.v1", secretsRules("get"))
	// Its copies are in every namespace, those of other tests, too.
	defer func() {
		s.uninstall()
		eventually(t, gone(olm.CSVs, s.home, "lifted.v1"))
	}()
	eventually(t, func() error { _, err := lookUp(olm.ClusterRoleBindings, "", s.roleName()); return err })
	original := s.found(roles, s.home, s.roleName())
	for _, each := range []*olm.Object{
		object("rbac.authorization.k8s.io/v1", "Role", s.home, "edit"),
		bindingOf(s.home, "edit", "edit", serviceAccount(s.home, "reed")),
	} {
		each.SetLabels(original.GetLabels())
		each.SetOwnerReferences(original.GetOwnerReferences())
		s.create(each)
	}
	s.told(s.home, "lifted.v1", "CopiedRbacForeign")
	must(t, gone(olm.ClusterRoleBindings, "", "edit")())

	client, err := as(accountUser)
	must(t, err)
	labels := olm.OwnerLabels(s.home, "lifted.v1")
	labels[liftedLabel] = "true"
	for what, change := range map[string]func(binding *olm.Object){
		"another role":       func(b *olm.Object) { b.Object["roleRef"].(map[string]any)["name"] = "cluster-admin" },
		"another account":    func(b *olm.Object) { b.Object["subjects"] = []any{serviceAccount("default", "default")} },
		"without its label":  func(b *olm.Object) { delete(labels, liftedLabel); b.SetLabels(labels); labels[liftedLabel] = "true" },
		"with another label": func(b *olm.Object) { more := b.GetLabels(); more["rbac.example.com/a"] = "true"; b.SetLabels(more) },
	} {
		binding := bindingOf("", "mine-"+s.home, "mine-"+s.home, serviceAccount(s.home, "reed"))
		binding.SetKind("ClusterRoleBinding")
		binding.Object["roleRef"].(map[string]any)["kind"] = "ClusterRole"
		binding.SetLabels(labels)
		change(binding)
		_, err := client.Resource(olm.ClusterRoleBindings).Create(t.Context(), binding, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Cases 60 and 68: what a plan has made in the cluster for an operator goes with it, but what another one was installed with, too.
func TestFinalizer_WhatPlansHaveMade(t *testing.T) {
	s := newScene(t, 0)
	for _, name := range []string{"ash.v1", "ash.v2"} {
		csv := olm.CSV(name, s.group, s.home)
		csv.SetLabels(map[string]string{olm.ManagedLabel: "true"})
		s.create(csv)
		eventually(t, func() error {
			if finalizers := s.found(olm.CSVs, s.home, name).GetFinalizers(); !slices.Contains(finalizers, olm.Finalizer) {
				return fmt.Errorf("the finalizers of %s are %v", name, finalizers)
			}
			return nil
		})
	}
	made := func(kind, name string) *olm.Object {
		group := map[string]string{"ClusterRole": "rbac.authorization.k8s.io/v1", "PriorityClass": "scheduling.k8s.io/v1"}[kind]
		object := object(group, kind, "", s.home+"-"+name)
		labels := olm.OwnerLabels(s.home, "ash.v1")
		labels[olm.ManagedLabel] = "true"
		object.SetLabels(labels)
		if kind == "PriorityClass" {
			object.Object["value"] = int64(1)
		}
		return object
	}
	shares := made("ClusterRole", "shared")
	shares.SetAnnotations(map[string]string{
		"operatorframework.io/installed-alongside-1": s.home + "/ash.v1", "operatorframework.io/installed-alongside-2": s.home + "/ash.v2",
	})
	s.grant(olm.ClusterRoles, made("ClusterRole", "own"), shares)
	s.grant(priorityClasses, made("PriorityClass", "own"))
	must(t, shared.Any.Resource(olm.CSVs).Namespace(s.home).Delete(t.Context(), "ash.v1", metav1.DeleteOptions{}))
	eventually(t, gone(olm.CSVs, s.home, "ash.v1"))
	must(t, gone(olm.ClusterRoles, "", s.home+"-own")())
	must(t, gone(priorityClasses, "", s.home+"-own")())
	s.found(olm.ClusterRoles, "", shares.GetName())
	must(t, shared.Any.Resource(olm.CSVs).Namespace(s.home).Delete(t.Context(), "ash.v2", metav1.DeleteOptions{}))
	eventually(t, gone(olm.CSVs, s.home, "ash.v2"))
	must(t, gone(olm.ClusterRoles, "", shares.GetName())())
}
