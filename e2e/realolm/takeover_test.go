package realolm_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// The copies that OLM has made are right: when OLM is stopped and Steward's family takes over, it writes none of them, for the published
// CSVs as for others. From then on the copies are kept by Steward: what is missing comes back, changes of an original arrive,
// and so do new namespaces; and still they are what InstalledOperators show.
func TestTakeover_R_004_43_WhatOLMCopiedIsNotWritten(t *testing.T) {
	m := &market{world: newWorld(t, 4), met: judgement{}}
	_, err := m.RunSteward(t.Context(), "steward")
	must(t, err)
	must(t, m.WaitServed(t.Context()))
	must(t, m.ApplyManifests(t.Context(), filepath.Join("overlays", "copies")))
	m.runOLM(t, nil)
	m.addNamespaces(t, "global", "multi")
	must(t, olm.Create(t.Context(), m.Any, olm.OperatorGroup("global", "all"), olm.OperatorGroup("multi", "several", m.spaces[0], m.spaces[1])))
	for _, csv := range m.published(t) {
		csv.SetNamespace("global")
		m.add(t, csv)
	}
	m.add(t, (&bundle{namespace: "global", name: "ours.v1", group: "global.example.com", lifted: true}).csv())
	m.add(t, (&bundle{namespace: "multi", name: "multi.v1", group: "multi.example.com", lifted: true}).csv())
	for _, each := range m.installed {
		namespace, name, _ := strings.Cut(each, "/")
		m.succeeds(t, namespace, name, m.made(t))
	}
	must(t, patiently(m.made(t), func() error { return m.agree(t) }))
	m.olm.Kill()

	// One copy of each operator is missing: when it is back, the family has looked at all of that operator's.
	made := m.versions(t)
	for _, each := range m.installed {
		_, name, _ := strings.Cut(each, "/")
		must(t, m.Any.Resource(olm.CSVs).Namespace(m.spaces[0]).Delete(t.Context(), name, metav1.DeleteOptions{}))
		delete(made, m.spaces[0]+"/"+name)
	}
	account, err := m.ServiceAccount(t.Context(), controllersNamespace, "steward-copied-csvs")
	must(t, err)
	copying, err := m.RunControllersAs(t.Context(), account, "copied-csvs", "--reconcilers=copied-csvs,olm-config", "--takeover",
		"--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms", "--v=2")
	must(t, err)
	m.controllers = copying // stopped with the world
	must(t, patiently(m.made(t), func() error { return m.agree(t) }))
	now := m.versions(t)
	for _, each := range m.installed {
		_, name, _ := strings.Cut(each, "/")
		delete(now, m.spaces[0]+"/"+name)
	}
	if !maps.Equal(made, now) {
		for name, version := range made {
			if now[name] != version {
				t.Errorf("%s was written: it had resourceVersion %s, and has %s", name, version, now[name])
			}
		}
		t.Errorf("of %d copies that were left, there are %d", len(made), len(now))
	}
	m.wrote(t, copying, "create", len(m.installed))
	m.wrote(t, copying, "update", 0)
	m.wrote(t, copying, "delete", 0)
	t.Logf("taken over: %d copies of %d operators as they were", len(made), len(m.installed))

	m.relabelOne(t, "global", "ours.v1")
	m.addOne(t)
	must(t, patiently(m.made(t), func() error { return m.agree(t) }))
	m.wrote(t, copying, "delete", 0)
	m.toggle(t)
}

// toggle turns the copies of the operators for all namespaces off, by OLM's own OLMConfig, and on again.
func (m *market) toggle(t *testing.T) {
	t.Helper()
	others := len(m.copiesFrom(t, "multi"))
	config := &olm.Object{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1", "kind": "OLMConfig", "metadata": map[string]any{"name": "cluster"},
		"spec": map[string]any{"features": map[string]any{"disableCopiedCSVs": true}},
	}}
	must(t, olm.Create(t.Context(), m.Any, config))
	must(t, patiently(m.made(t), func() error {
		if left := len(m.copiesFrom(t, "global")); left > 0 {
			return fmt.Errorf("%d copies of operators for all namespaces are left", left)
		}
		return m.says(t, "True")
	}))
	if now := len(m.copiesFrom(t, "multi")); now != others || others == 0 {
		t.Errorf("of %d copies of operators for several namespaces there are %d", others, now)
	}
	must(t, olm.Mutate(t.Context(), m.Any, olm.OLMConfigs, "", "cluster", func(config *olm.Object) {
		config.Object["spec"] = map[string]any{"features": map[string]any{"disableCopiedCSVs": false}}
	}))
	must(t, patiently(m.made(t), func() error {
		if err := m.says(t, "False"); err != nil {
			return err
		}
		return m.agree(t)
	}))
}

// copiesFrom are the copies of the operators that are installed in a namespace.
func (m *market) copiesFrom(t *testing.T, namespace string) []olm.Object {
	t.Helper()
	list, err := m.Any.Resource(olm.CSVs).List(t.Context(), metav1.ListOptions{LabelSelector: olm.CopiedFromLabel + "=" + namespace})
	must(t, err)
	return list.Items
}

// says is nil when the OLMConfig's condition DisabledCopiedCSVs has this status.
func (m *market) says(t *testing.T, status string) error {
	t.Helper()
	config, err := m.Any.Resource(olm.OLMConfigs).Get(t.Context(), "cluster", metav1.GetOptions{})
	if err != nil {
		return err
	}
	conditions, _, _ := unstructured.NestedSlice(config.Object, "status", "conditions")
	for _, each := range conditions {
		if condition, ok := each.(map[string]any); ok && condition["type"] == "DisabledCopiedCSVs" && condition["status"] == status {
			return nil
		}
	}
	return fmt.Errorf("the OLMConfig's conditions are %v, want DisabledCopiedCSVs %s", conditions, status)
}

// versions are the resourceVersions of all copies, by "namespace/name".
func (m *market) versions(t *testing.T) map[string]string {
	t.Helper()
	list, err := m.Any.Resource(olm.CSVs).List(t.Context(), metav1.ListOptions{LabelSelector: olm.CopiedFromLabel})
	must(t, err)
	all := map[string]string{}
	for _, item := range list.Items {
		all[item.GetNamespace()+"/"+item.GetName()] = item.GetResourceVersion()
	}
	return all
}

// relabelOne changes a label of an original.
func (m *market) relabelOne(t *testing.T, namespace, name string) {
	t.Helper()
	must(t, olm.Mutate(t.Context(), m.Any, olm.CSVs, namespace, name, func(csv *olm.Object) {
		labels := map[string]string{"team": "blue"}
		maps.Copy(labels, csv.GetLabels())
		csv.SetLabels(labels)
	}))
	m.shows(t, m.spaces[0], name, func(view *olm.Object) bool { return view.GetLabels()["team"] == "blue" })
}

// wrote checks how many copies the family has written so far.
func (m *market) wrote(t *testing.T, copying *cluster.Controllers, operation string, want int) {
	t.Helper()
	series := fmt.Sprintf("steward_copied_csv_writes_total{operation=%q}", operation)
	// What was written is seen before it is counted.
	eventually(t, func() error {
		got, err := copying.Metric(t.Context(), series)
		if err == nil && got != float64(want) {
			err = fmt.Errorf("%s is %v, want %d", series, got, want)
		}
		return err
	})
}
