package payload_test

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

// R-003-27: the operator's Deployment goes when its manifest is annotated; what else its component has stays as it is.
func TestStory_R_003_27_ClusterAutoscaler(t *testing.T) {
	s := newScene(t)
	const operator = "cluster-autoscaler-operator"
	where := s.namespace()
	account, running := serviceAccount(where, operator), deployment(where, operator)
	foreign := configMap(where, "foreign")
	s.there(foreign)
	before := files{
		"0000_50_cluster-autoscaler-operator_02_rbac.yaml":       docs(applied(account), applied(role(where, operator)), applied(roleBinding(where, operator))),
		"0000_50_cluster-autoscaler-operator_06_service.yaml":    docs(applied(service(where, operator))),
		"0000_50_cluster-autoscaler-operator_07_deployment.yaml": docs(applied(running)),
	}
	s.pays("4.5.0", before)
	s.starts()
	s.completes("4.5.0")
	uids := map[string]string{}
	rest := []*olm.Object{account, role(where, operator), roleBinding(where, operator), service(where, operator), foreign}
	for _, each := range rest {
		uids[identity(each)] = string(s.found(each).GetUID()) + " " + s.found(each).GetResourceVersion()
	}
	s.all(running)

	// Its spec may stay, and means nothing (R-003-28).
	began := time.Now()
	s.pays("4.5.1", before.and(files{"0000_50_cluster-autoscaler-operator_07_deployment.yaml": docs(deleted(running))}))
	r := s.completes("4.5.1")
	s.gone(running)
	if s.removes(running, "Completed").UID == "" || r.Upgradeable != "True" {
		t.Errorf("the record is %+v", r)
	}
	s.tells("Normal", "RemovalInitiated", identity(running))
	s.tells("Normal", "RemovalCompleted", identity(running))
	for _, each := range rest {
		if now := string(s.found(each).GetUID()) + " " + s.found(each).GetResourceVersion(); now != uids[identity(each)] {
			t.Errorf("%s was touched", identity(each))
		}
	}
	if list := s.wrote(began); len(list) != 1 || list[0].Verb != "delete" || !list[0].about(running) {
		t.Errorf("it wrote %v, want one deletion", list)
	}
	s.upgradeable()
}

// catalogue is what a component of the service catalogue has: of the cluster, and within its namespace.
type catalogue struct {
	namespace, crd, cr, binding, operator *olm.Object
	inside                                []*olm.Object
}

func catalogueOf(s *scene, component string) catalogue {
	where := s.name + "-" + component
	kind := map[string]string{"apiserver": "ServiceCatalogAPIServer", "controller-manager": "ServiceCatalogControllerManager"}[component]
	crd := definition("example.com", kind, "Cluster")
	return catalogue{
		namespace: namespaced(where), crd: crd, cr: object("example.com/v1", kind, "", "cluster", map[string]any{"spec": map[string]any{"managementState": "Removed"}}),
		binding: clusterRoleBinding(where, where, "operator"), operator: clusterOperator(where),
		inside: []*olm.Object{
			configMap(where, "operator-config"), configMap(where, "trusted-ca"), serviceAccount(where, "operator"), service(where, "metrics"),
			deployment(where, "operator"), role(where, "operator"), roleBinding(where, "operator"), serviceMonitor(where, "operator"),
		},
	}
}

// release is the component's part of a payload: with it, or with what removes it.
func (c catalogue) release(component string, removed bool) files {
	name := func(rest string) string { return "0000_50_cluster-svcat-" + component + "-operator_" + rest }
	if removed {
		// R-003-30: what lies within the namespace is dropped.
		return files{
			name("00_namespace.yaml"): docs(deleted(c.namespace)), name("02_config.crd.yaml"): docs(deleted(c.crd)),
			name("03_config.cr.yaml"): docs(annotated(deleted(c.cr), createOnly, "true")), name("04_roles.yaml"): docs(deleted(c.binding)),
			name("08_cluster-operator.yaml"): docs(deleted(c.operator)),
		}
	}
	in := make([]*olm.Object, len(c.inside))
	for i, each := range c.inside {
		in[i] = applied(each)
	}
	return files{
		name("00_namespace.yaml"): docs(applied(c.namespace)), name("02_config.crd.yaml"): docs(applied(c.crd)),
		name("03_config.cr.yaml"): docs(annotated(applied(c.cr), createOnly, "true")), name("04_roles.yaml"): docs(applied(c.binding)),
		name("03_config.yaml"): docs(in[0], in[1]), name("05_account.yaml"): docs(in[2]), name("06_service.yaml"): docs(in[3]),
		name("07_deployment.yaml"): docs(in[4]), name("07_roles.yaml"): docs(in[5], in[6]), name("09_monitor.yaml"): docs(in[7]),
		name("08_cluster-operator.yaml"): docs(applied(c.operator)),
	}
}

// R-003-29…33: five manifests of each of two components are annotated, eight are dropped and go with the namespace, which is asked
// to go first: no Deployment runs on without its rights. That holds for a ClusterOperator, too, and for an object that is only created.
func TestStory_R_003_29_30_31_32_33_ServiceCatalogue(t *testing.T) {
	s := newScene(t)
	components := []string{"apiserver", "controller-manager"}
	with, without := files{}, files{}
	var parts []catalogue
	for _, each := range components {
		part := catalogueOf(s, each)
		parts = append(parts, part)
		with, without = with.and(part.release(each, false)), without.and(part.release(each, true))
		s.leaves(part.binding, part.operator, part.crd, part.namespace)
	}
	if len(with) != 2*11 || len(without) != 2*5 {
		t.Fatalf("%d and %d files", len(with), len(without))
	}
	s.pays("4.4.0", with)
	s.starts()
	s.completes("4.4.0")
	for _, part := range parts {
		s.all(append(part.inside, part.namespace, part.crd, part.cr, part.binding, part.operator)...)
	}
	began := time.Now()
	s.pays("4.5.0", without)
	s.completes("4.5.0")
	for _, part := range parts {
		s.gone(append(part.inside, part.namespace, part.crd, part.cr, part.binding, part.operator)...)
		for _, each := range []*olm.Object{part.namespace, part.crd, part.cr, part.binding, part.operator} {
			s.removes(each, "Completed")
		}
		// R-003-31, 32: as the files are named.
		var order []string
		for _, each := range s.wrote(began) {
			for _, object := range []*olm.Object{part.namespace, part.crd, part.cr, part.binding, part.operator} {
				if each.Verb == "delete" && each.about(object) {
					order = append(order, object.GetKind())
				}
			}
		}
		if len(order) < 4 || order[0] != "Namespace" || order[1] != "CustomResourceDefinition" || order[len(order)-1] != "ClusterOperator" {
			t.Errorf("deletions came in the order %q", order)
		}
	}
	for _, each := range s.wrote(began) {
		for _, part := range parts {
			for _, object := range part.inside {
				if each.about(object) {
					t.Errorf("%v: it goes with its namespace", each)
				}
			}
		}
	}
	s.upgradeable()
}

// R-003-36: what 4.5 shipped: the namespace and the roles of the Job that removed the rest are annotated, its account and the Job
// itself are dropped.
func TestStory_R_003_36_ServiceCatalogueAsShipped(t *testing.T) {
	s := newScene(t)
	removed := namespaced(s.name)
	binding := clusterRoleBinding(s.name+"-remover", s.name, "remover")
	account, remover := serviceAccount(s.name, "remover"), job(s.name, "remover")
	s.leaves(binding, removed)
	name := func(rest string) string { return "0000_50_cluster-svcat-apiserver-operator_" + rest }
	s.pays("4.4.0", files{
		name("00_namespace.yaml"): docs(applied(removed)), name("04_roles.yaml"): docs(applied(binding)),
		name("05_serviceaccount.yaml"): docs(applied(account)), name("06_remover_job.yaml"): docs(applied(remover)),
	})
	s.starts()
	s.appears(remover)
	if r := s.record(); r.Completed != "" {
		t.Errorf("it did not wait for the Job: %+v", r)
	}
	finish(t, remover, "Complete")
	s.completes("4.4.0")
	s.pays("4.5.0", files{name("00_namespace.yaml"): docs(deleted(removed)), name("04_roles.yaml"): docs(deleted(binding))})
	s.completes("4.5.0")
	s.gone(account, remover, binding, removed)
	s.removes(removed, "Completed")
	s.removes(binding, "Completed")
	if r := s.record(); len(r.Removals) != 2 {
		t.Errorf("the removals are %v", r.Removals)
	}
	s.upgradeable()
}

// finish plays the Job controller. From 1.31 on a condition by which the Job ends follows another one, of which 1.30 knows no more than that of
// failures.
func finish(t *testing.T, job *olm.Object, condition string) {
	t.Helper()
	write := func(before string) error {
		now := time.Now().UTC().Format(time.RFC3339)
		said := func(condition string) any {
			return map[string]any{"type": condition, "status": "True", "reason": "Played", "lastTransitionTime": now, "lastProbeTime": now}
		}
		return olm.MutateStatus(t.Context(), shared.Any, resourceOf(job), job.GetNamespace(), job.GetName(), func(live *olm.Object) {
			status := map[string]any{"startTime": now, "conditions": []any{said(condition)}}
			if before != "" {
				status["conditions"] = []any{said(before), said(condition)}
			}
			if condition == "Complete" {
				status["completionTime"], status["succeeded"] = now, int64(1)
			} else {
				status["failed"] = int64(1)
			}
			live.Object["status"] = status
		})
	}
	if condition != "Complete" {
		must(t, write("FailureTarget"))
		return
	}
	err := write("SuccessCriteriaMet")
	if apierrors.IsInvalid(err) {
		err = write("")
	}
	must(t, err)
}

// operatorSays plays an operator that writes the condition Upgradeable of its ClusterOperator.
func operatorSays(t *testing.T, operator *olm.Object, upgradeable, reason, message string) {
	t.Helper()
	must(t, olm.MutateStatus(t.Context(), shared.Any, clusterOperators, "", operator.GetName(), func(live *olm.Object) {
		must(t, unstructured.SetNestedSlice(live.Object, []any{map[string]any{
			"type": "Upgradeable", "status": upgradeable, "reason": reason, "message": message,
			"lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
		}}, "status", "conditions"))
	}))
}

// R-003-37…40: a removal that users see. In 4.5 it still works, and the operator forbids the update to 4.6 with a link to the release
// notes; patches are not forbidden. The administrator opts in, the operator stops, and 4.6 removes the operator and what is left.
func TestStory_R_003_37_38_39_40_Deprecation(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	running, operand := deployment(where, "old-operator"), configMap(where, "old-operand")
	operator := clusterOperator(s.name + "-old")
	s.leaves(operator)
	old := func(version string, removed bool) files {
		does := applied
		if removed {
			does = deleted
		}
		return files{
			"0000_50_old-operator_01_deployment.yaml": docs(does(running)), "0000_50_old-operator_02_operand.yaml": docs(does(operand)),
			"0000_50_old-operator_03_operator.yaml": docs(does(operator)),
			"0000_50_other_01_settings.yaml":        docs(applied(with(configMap(where, "settings"), "a", version))),
		}
	}
	s.pays("4.5.0", old("4.5.0", false))
	s.starts()
	s.completes("4.5.0")
	operatorSays(t, operator, "False", "Deprecated", "the old API goes in 4.6: https://example.com/release-notes")

	s.pays("4.5.1", old("4.5.1", false))
	s.completes("4.5.1")

	began := time.Now()
	s.pays("4.6.0", old("4.6.0", true))
	s.tells("Warning", "UpdateBlocked", operator.GetName(), "Deprecated")
	if r := s.record(); r.Version != "4.5.1" {
		t.Errorf("the record is %+v", r)
	}
	s.all(running, operand, operator)
	if list := s.wrote(began); len(list) > 0 {
		t.Errorf("it wrote %v", list)
	}
	next := s.folder("4.6.0", old("4.6.0", true))
	failed := fails(t, 1, "payload", "preflight", next, "--kubeconfig", shared.Admin)
	contains(t, failed, operator.GetName(), "https://example.com/release-notes")
	succeeds(t, "payload", "preflight", s.folder("4.5.2", old("4.5.2", false)), "--kubeconfig", shared.Admin)
	contains(t, succeeds(t, "payload", "preflight", next, "--force", "--kubeconfig", shared.Admin), operator.GetName())

	// The administrator opts in.
	operatorSays(t, operator, "True", "AsExpected", "")
	succeeds(t, "payload", "preflight", next, "--kubeconfig", shared.Admin)
	s.completes("4.6.0")
	s.gone(running, operand, operator)
	if value := dataOf(s.found(configMap(where, "settings")), "a"); value != "4.6.0" {
		t.Errorf("the settings are of %s", value)
	}
}

func dataOf(configMap *olm.Object, key string) string {
	value, _, _ := unstructured.NestedString(configMap.Object, "data", key)
	return value
}

// A namespace goes with what is in it, whoever made that; its neighbours stay.
func TestStory_Namespace(t *testing.T) {
	s := newScene(t)
	old, other := namespaced(s.name), namespaced(s.name+"-other")
	foreign := configMap(s.name, "foreign")
	s.there(old, other, foreign, configMap(other.GetName(), "neighbour"))
	s.pays("4.5.0", files{"0000_50_old_namespace.yaml": docs(deleted(old)), "0000_50_other_settings.yaml": docs(applied(configMap(other.GetName(), "settings")))})
	s.starts()
	s.completes("4.5.0")
	s.gone(foreign, old)
	s.removes(old, "Completed")
	s.all(other, configMap(other.GetName(), "neighbour"), configMap(other.GetName(), "settings"))
}

// A cluster of its own namespaces, and Steward's own objects, are deleted by no payload: it is refused as a whole.
func TestStory_WhatIsNeverDeleted(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	good, goes := configMap(where, "good"), configMap(where, "goes")
	s.there(goes)
	never := []*olm.Object{
		namespaced("kube-system"), namespaced("kube-public"), namespaced("kube-of-ours"), namespaced("default"), namespaced(accountNamespace),
		configMap(accountNamespace, recordName), serviceAccount(accountNamespace, "steward-controllers"), clusterOperator(accountName),
		definition("steward.operatorframework.io", "Widget", "Namespaced"),
		object("apiregistration.k8s.io/v1", "APIService", "", "v1alpha1.views.operators.coreos.com", nil),
		object("rbac.authorization.k8s.io/v1", "ClusterRole", "", "steward-view", nil),
	}
	began := time.Now()
	for i, each := range never {
		s.pays("4.5.0", files{
			"0000_10_some_a.yaml": docs(applied(good)), "0000_20_some_b.yaml": docs(deleted(each)), "0000_30_some_c.yaml": docs(deleted(goes)),
		})
		if i == 0 {
			s.starts()
		} else {
			s.stops()
			s.starts()
		}
		s.tells("Warning", "PayloadRefused", "0000_20_some_b.yaml", each.GetName())
		s.metric("steward_payload_refused", 1)
	}
	s.writesNothing(began)
	s.all(goes, namespaced("kube-system"), namespaced("default"), namespaced(accountNamespace))
	if _, err := shared.Any.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(where).Get(t.Context(), "good", metav1.GetOptions{}); err == nil {
		t.Error("a payload that was refused was applied")
	}
	// Without such a manifest it goes.
	s.pays("4.5.0", files{"0000_10_some_a.yaml": docs(applied(good)), "0000_30_some_c.yaml": docs(deleted(goes))})
	s.completes("4.5.0")
	s.metric("steward_payload_refused", 0)
	s.gone(goes)
}
