package payload_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

// What is not there is created, what differs is updated, and what is as it should be is not written: also not by the passes that follow.
func TestApply_WritesOnlyDifferences(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	same, changes, running := configMap(where, "same"), configMap(where, "changes"), deployment(where, "running")
	all := files{
		"0000_10_some_a.yaml": docs(applied(same), applied(changes)), "0000_20_some_b.yaml": docs(applied(running), applied(service(where, "running"))),
		"0000_30_some_c.yaml": docs(applied(role(where, "running")), applied(serviceAccount(where, "running"))),
	}
	s.pays("4.5.0", all)
	s.starts()
	s.completes("4.5.0")
	s.all(same, changes, running)
	if list := s.wrote(s.began); len(list) != 6 {
		t.Errorf("six objects took %d writes: %v", len(list), list)
	}
	managers := s.found(same).GetManagedFields()
	if !slices.ContainsFunc(managers, func(each metav1.ManagedFieldsEntry) bool {
		return each.Manager == "steward-payload" && each.Operation == metav1.ManagedFieldsOperationApply
	}) {
		t.Errorf("the managers are %v", managers)
	}

	began := time.Now()
	s.pays("4.5.1", all.and(files{"0000_10_some_a.yaml": docs(applied(same), applied(with(changes, "a", "2")))}))
	s.completes("4.5.1")
	if list := s.wrote(began); len(list) != 1 || !list[0].about(changes) {
		t.Errorf("one difference took %v", list)
	}
	// Another pass, and several.
	began = time.Now()
	s.tampers(same)
	s.tampers(changes)
	for _, each := range s.wrote(began) {
		if !each.about(same) && !each.about(changes) {
			t.Errorf("%v, and nothing had changed", each)
		}
	}
	if value := dataOf(s.found(changes), "a"); value != "2" {
		t.Errorf("the data is %q", value)
	}
	// So does a process that starts anew; the record says that the update was completed.
	before := s.record()
	s.stops()
	began = time.Now()
	s.starts()
	s.tampers(same)
	if now := s.record(); now.Completed != before.Completed || now.Hash != before.Hash {
		t.Errorf("the record is %+v, and was %+v", now, before)
	}
	for _, each := range s.wrote(began) {
		if !each.about(same) {
			t.Errorf("%v, and nothing had changed", each)
		}
	}
}

// Fields of the payload are its own, whoever else wrote them; fields that others added stay. What is no longer said goes.
func TestApply_FieldsOfOthers(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	object := configMap(where, "some")
	// Another manager has the same field, by server-side apply, and one more.
	theirs := with(object, "a", "theirs", "b", "theirs")
	_, err := shared.Any.Resource(core("configmaps")).Namespace(where).Apply(t.Context(), "some", theirs, metav1.ApplyOptions{FieldManager: "other"})
	must(t, err)
	s.pays("4.5.0", files{"0000_10_some_a.yaml": docs(applied(with(object, "a", "ours", "c", "ours")))})
	s.starts()
	s.completes("4.5.0")
	live := s.found(object)
	if dataOf(live, "a") != "ours" || dataOf(live, "b") != "theirs" || dataOf(live, "c") != "ours" {
		t.Errorf("the data is %v", live.Object["data"])
	}
	_, err = shared.Any.Resource(core("configmaps")).Namespace(where).Patch(t.Context(), "some", types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"theirs":"kept"}}}`), metav1.PatchOptions{})
	must(t, err)
	s.pays("4.5.1", files{"0000_10_some_a.yaml": docs(applied(with(object, "a", "ours")))})
	s.completes("4.5.1")
	live = s.found(object)
	if dataOf(live, "c") != "" || dataOf(live, "a") != "ours" || dataOf(live, "b") != "theirs" || live.GetLabels()["theirs"] != "kept" {
		t.Errorf("the data is %v, the labels are %v", live.Object["data"], live.GetLabels())
	}
}

// create-only objects are made and then left alone; a status is not applied; what is not included is neither made nor deleted.
func TestApply_WhatIsLeftAlone(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	once, marker := configMap(where, "once"), configMap(where, "marker")
	operator := clusterOperator(s.name)
	operator.Object["status"] = map[string]any{"versions": []any{map[string]any{"name": "operator", "version": "4.5.0"}}}
	operator.SetLabels(map[string]string{unhealthy: ""})
	s.leaves(operator)
	kept, gated, unmanaged := configMap(where, "kept"), configMap(where, "gated"), configMap(where, "off")
	s.there(kept, gated, unmanaged)
	out := func(object *olm.Object, pairs ...string) *olm.Object { return annotated(object, pairs...) }
	all := files{
		"0000_10_some_a.yaml": docs(annotated(applied(once), createOnly, "True"), applied(marker), applied(operator)),
		"0000_20_some_b.yaml": docs(
			out(kept, deletion, "true"),
			out(deleted(gated), "release.openshift.io/feature-gate", "Unheard"),
			out(deleted(unmanaged), "capability.openshift.io/name", "Console"),
			out(configMap(where, "other-profile"), "include.release.openshift.io/single-node-developer", "true"),
			out(applied(configMap(where, "preview")), "release.openshift.io/feature-set", "TechPreviewNoUpgrade"),
		),
	}
	s.pays("4.5.0", all)
	s.starts("--payload-capabilities=None", "--payload-wait-timeout=0s")
	s.completes("4.5.0")
	s.all(kept, gated, unmanaged, once)
	if status, has := s.found(operator).Object["status"]; has {
		t.Errorf("the status is %v", status)
	}
	_, err := shared.Any.Resource(core("configmaps")).Namespace(where).Patch(t.Context(), "once", types.MergePatchType, []byte(`{"data":{"a":"theirs"}}`), metav1.PatchOptions{})
	must(t, err)
	s.tampers(marker)
	if value := dataOf(s.found(once), "a"); value != "theirs" {
		t.Errorf("what is only created was updated: %q", value)
	}
	s.gone(configMap(where, "other-profile"), configMap(where, "preview"))
	if r := s.record(); len(r.Removals) > 0 {
		t.Errorf("the removals are %v", r.Removals)
	}
	// With the choices on the command line.
	s.stops()
	s.pays("4.5.1", all)
	s.starts("--payload-feature-gates=Unheard", "--payload-capabilities=Console", "--payload-wait-timeout=0s")
	s.completes("4.5.1")
	s.gone(gated, unmanaged)
	s.all(kept)
}

// What cannot be applied stops what depends on it; the rest goes on, and all of it is told. Once it can, all is well.
func TestApply_OneErrorStopsItsDependants(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	nowhere := configMap(s.name+"-later", "some")
	old := configMap(where, "old")
	s.there(old)
	s.leaves(namespaced(s.name + "-later"))
	s.pays("4.5.0", files{
		"0000_10_a_first.yaml": docs(applied(configMap(where, "before"))),
		"0000_20_a_some.yaml":  docs(applied(nowhere), applied(configMap(where, "behind"))),
		"0000_20_b_some.yaml":  docs(applied(configMap(where, "beside"))),
		"0000_30_a_last.yaml":  docs(applied(configMap(where, "last")), deleted(old)),
	})
	s.starts()
	s.appears(configMap(where, "beside"))
	s.metric("steward_payload_failed_objects", 1)
	s.all(configMap(where, "before"), old)
	s.gone(configMap(where, "behind"), configMap(where, "last"))
	if r := s.record(); r.Completed != "" || r.State != "Updating" {
		t.Errorf("the record is %+v", r)
	}
	must(t, olm.Create(t.Context(), shared.Any, namespaced(s.name+"-later")))
	s.completes("4.5.0")
	s.gone(old)
	s.all(nowhere, configMap(where, "last"))
	s.metric("steward_payload_failed_objects", 0)
}

// A definition is waited for until objects of it can be made. A Job that fails is an error.
func TestApply_DefinitionsAndJobs(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	widgets := definition("example.com", "Widget", "Namespaced")
	widget := object("example.com/v1", "Widget", where, "some", map[string]any{"spec": map[string]any{"size": int64(1)}})
	works, last := job(where, "works"), configMap(where, "last")
	s.leaves(widgets)
	s.pays("4.5.0", files{
		"0000_10_some_a.yaml": docs(applied(widgets), applied(widget)), "0000_20_some_b.yaml": docs(applied(works)),
		"0000_30_some_c.yaml": docs(applied(last)),
	})
	s.starts()
	s.appears(works)
	s.all(widget)
	finish(t, works, "Failed")
	s.metric("steward_payload_failed_objects", 1)
	if r := s.record(); r.Completed != "" {
		t.Errorf("the record is %+v", r)
	}
	s.gone(last)
	background := metav1.DeletePropagationBackground
	must(t, shared.Kube.BatchV1().Jobs(where).Delete(t.Context(), "works", metav1.DeleteOptions{PropagationPolicy: &background}))
	s.gone(works)
	s.appears(works)
	finish(t, works, "Complete")
	s.completes("4.5.0")
	s.all(last)
}

// placed is a manifest, and where it stands in a payload.
type placed struct {
	file   string
	object *olm.Object
	does   string // "create", "update" or "delete"
}

var fileName = regexp.MustCompile(`^0000_([0-9]+)_([a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*)_.+$`)

// beside says whether two manifests, which stand in this order, may be worked on at the same time: they are of one level and of different
// components, and no Job stands between them. All others come after each other.
func beside(list []placed, first, second int) bool {
	for _, each := range list[first : second+1] {
		if each.object.GetKind() == "Job" {
			return false
		}
	}
	one, other := fileName.FindStringSubmatch(list[first].file), fileName.FindStringSubmatch(list[second].file)
	if one == nil || other == nil || one[2] == other[2] {
		return false
	}
	a, _ := strconv.Atoi(one[1])
	b, _ := strconv.Atoi(other[1])
	return a == b
}

// The order of the writes is that of the names of the files, in an update that creates, changes and deletes: a write begins when all
// before it have been answered. R-003-11, 12.
func TestApply_R_003_11_12_OrderOfTheWrites(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	there := func(name string) *olm.Object { made := configMap(where, name); s.there(made); return made }
	fresh := func(name string) *olm.Object { return configMap(where, name) }
	barrier := job(where, "barrier")
	list := []placed{
		{"0000_07_net_01.yaml", fresh("a1"), "create"}, {"0000_07_net_02.yaml", there("a2"), "delete"},
		{"0000_08_dns_01.yaml", there("b1"), "delete"},
		{"0000_09_one_01.yaml", fresh("c1"), "create"}, {"0000_09_one_01.yaml", there("c2"), "delete"}, {"0000_09_one_02.yaml", there("c3"), "update"},
		{"0000_09_two-of-it_01.yaml", there("d1"), "delete"}, {"0000_09_two-of-it_02.yaml", fresh("d2"), "create"},
		{"0000_10_api_01.yaml", there("e1"), "update"},
		{"0000_10_api_02.yaml", barrier, "create"},
		{"0000_10_api_03.yaml", there("f1"), "delete"},
		{"0000_10_web_01.yaml", fresh("g1"), "create"}, {"0000_10_web_02.yaml", there("g2"), "delete"},
		{"0000_90_last_01.yaml", there("h1"), "delete"},
		{"odd.yaml", fresh("i1"), "create"}, {"odder.yaml", there("i2"), "delete"},
	}
	byFile := map[string][]*olm.Object{}
	for _, each := range list {
		does := map[string]func(*olm.Object) *olm.Object{
			"create": applied, "delete": deleted, "update": func(object *olm.Object) *olm.Object { return applied(with(object, "a", "2")) },
		}[each.does]
		byFile[each.file] = append(byFile[each.file], does(each.object))
	}
	wanted := files{}
	for name := range maps.Keys(byFile) {
		wanted[name] = docs(byFile[name]...)
	}
	began := time.Now()
	s.pays("4.5.0", wanted)
	s.starts()
	s.appears(barrier)
	finish(t, barrier, "Complete")
	s.completes("4.5.0")

	all := writings(t, began)
	at := make([]writing, len(list))
	for i, each := range list {
		index := slices.IndexFunc(all, func(w writing) bool { return w.about(each.object) })
		if index < 0 {
			t.Fatalf("%s was not written: %v", identity(each.object), all)
		}
		at[i] = all[index]
		if deletes := at[i].Verb == "delete"; deletes != (each.does == "delete") {
			t.Errorf("%s: %v, want %s", identity(each.object), at[i], each.does)
		}
	}
	for second := range list {
		for first := range second {
			if !beside(list, first, second) && at[second].RequestReceivedTimestamp.Time.Before(at[first].StageTimestamp.Time) {
				t.Errorf("%s %s began before %s %s was done", list[second].file, identity(list[second].object), list[first].file, identity(list[first].object))
			}
		}
	}
	// The record is written before each deletion.
	for i, each := range list {
		recorded := slices.ContainsFunc(all, func(w writing) bool {
			return w.ofRecord() && w.StageTimestamp.Time.Before(at[i].RequestReceivedTimestamp.Time) && !w.StageTimestamp.Time.Before(began)
		})
		if each.does == "delete" && !recorded {
			t.Errorf("%s was deleted and nothing recorded", identity(each.object))
		}
	}
}

// Components of a level go on beside each other; the next level waits for all of them.
func TestApply_ComponentsBesideEachOther(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	slow := seen(configMap(where, "slow"))
	hold := holds(t, "CREATE", "slow")
	s.pays("4.5.0", files{
		"0000_20_a_1.yaml": docs(applied(slow)), "0000_20_a_2.yaml": docs(applied(configMap(where, "behind"))),
		"0000_20_b_1.yaml": docs(applied(configMap(where, "beside"))), "0000_20_b_2.yaml": docs(applied(configMap(where, "beside-too"))),
		"0000_30_c_1.yaml": docs(applied(configMap(where, "last"))),
	})
	s.starts()
	hold.waits(t)
	s.appears(configMap(where, "beside-too"))
	s.gone(configMap(where, "behind"), configMap(where, "last"))
	hold.lets()
	s.completes("4.5.0")
	s.all(slow, configMap(where, "behind"), configMap(where, "last"))
}

// An installation deletes nothing, and has no order of levels.
func TestApply_InitialDeletesNothing(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	old := configMap(where, "old")
	s.there(old)
	slow := seen(configMap(where, "slow"))
	hold := holds(t, "CREATE", "slow")
	s.pays("4.5.0", files{
		"0000_10_a_1.yaml": docs(applied(slow)), "0000_20_b_1.yaml": docs(deleted(old)), "0000_30_c_1.yaml": docs(applied(configMap(where, "new"))),
		"0000_30_d_1.yaml": docs(applied(configMap(where, "newer"))),
	})
	s.starts("--payload-initial")
	hold.waits(t)
	s.appears(configMap(where, "newer"))
	if r := s.record(); r.State != "" && r.State != "Initializing" {
		t.Errorf("the record is %+v", r)
	}
	hold.lets()
	r := s.says("the installation to be completed", func(r record) bool { return r.Completed != "" })
	s.all(old, slow)
	if len(r.Removals) > 0 {
		t.Errorf("the removals are %v", r.Removals)
	}
	// It was installed without the object, as far as anybody knows: what is kept as it is, stays.
	s.stops()
	s.starts()
	s.tampers(configMap(where, "new"))
	s.all(old)
	// The next release removes it.
	s.pays("4.5.1", files{"0000_20_b_1.yaml": docs(deleted(old))})
	s.completes("4.5.1")
	s.gone(old)
}

// The cluster's own choices win over the command line: capabilities and overrides of the ClusterVersion.
func TestApply_ChoicesOfTheCluster(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	on, off, unmanaged := configMap(where, "on"), configMap(where, "off"), configMap(where, "unmanaged")
	s.there(on, off, unmanaged)
	version := object("config.openshift.io/v1", "ClusterVersion", "", "version", map[string]any{
		"spec": map[string]any{"overrides": []any{map[string]any{
			"group": "", "kind": "ConfigMap", "namespace": where, "name": "unmanaged", "unmanaged": true,
		}}},
		"status": map[string]any{"capabilities": map[string]any{
			"enabledCapabilities": []any{"Console"}, "knownCapabilities": []any{"Console", "Insights"},
		}},
	})
	s.there(version)
	gate := object("config.openshift.io/v1", "FeatureGate", "", "cluster", map[string]any{
		"spec": map[string]any{"featureSet": "TechPreviewNoUpgrade"},
		"status": map[string]any{"featureGates": []any{map[string]any{
			"version": "4.5.0", "enabled": []any{map[string]any{"name": "Some"}}, "disabled": []any{map[string]any{"name": "Other"}},
		}}},
	})
	s.there(gate)
	s.pays("4.5.0", files{"0000_10_some_a.yaml": docs(
		annotated(deleted(on), "capability.openshift.io/name", "Console"), annotated(deleted(off), "capability.openshift.io/name", "Insights"),
		deleted(unmanaged),
		annotated(applied(configMap(where, "preview")), "release.openshift.io/feature-set", "TechPreviewNoUpgrade"),
		annotated(applied(configMap(where, "gated")), "release.openshift.io/feature-gate", "Some,-Other"),
		annotated(applied(configMap(where, "ungated")), "release.openshift.io/feature-gate", "Other"),
	)})
	s.starts("--payload-capabilities=Insights")
	s.completes("4.5.0")
	s.gone(on, configMap(where, "ungated"))
	s.all(off, unmanaged, configMap(where, "preview"), configMap(where, "gated"))
	if len(s.record().Removals) != 1 {
		t.Errorf("the removals are %v", s.record().Removals)
	}
	// What nobody overrides any more is removed: that is a change, too.
	must(t, olm.Mutate(t.Context(), shared.Any, resourceOf(version), "", "version", func(live *olm.Object) {
		unstructured.RemoveNestedField(live.Object, "spec", "overrides")
	}))
	s.gone(unmanaged)
	eventually(t, func() error {
		if r := s.record(); r.State != "Reconciling" || len(r.Removals) != 2 {
			return fmt.Errorf("the record is %+v", r)
		}
		return nil
	})
}
