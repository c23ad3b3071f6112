package realolm_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// market is a cluster with operators of all install modes, and both who show them: OLM by copies, Steward by views.
type market struct {
	*world
	met judgement
	// installed are the operators that OLM is to bring to success, "namespace/name".
	installed []string
}

// Whatever is done to operators, Steward's InstalledOperators are what OLM's copies are, in every namespace and in every field
// but for what is justified (R-004-43).
func TestCopies_R_004_43_EqualTheInstalledOperators(t *testing.T) {
	m := &market{world: newWorld(t, 5), met: judgement{}}
	_, err := m.RunSteward(t.Context(), "steward")
	must(t, err)
	must(t, m.WaitServed(t.Context()))
	m.runOLM(t, nil)
	for _, step := range []struct {
		name string
		do   func(*testing.T)
	}{
		{"installed", m.installAll},
		{"relabelled", m.relabel},
		{"in a new namespace", m.addOne},
		{"selected", m.selectOne},
		{"upgraded", m.upgrade},
		{"removed", m.remove},
	} {
		step.do(t)
		for _, name := range m.installed {
			namespace, name, _ := strings.Cut(name, "/")
			m.succeeds(t, namespace, name, m.made(t))
		}
		must(t, patiently(m.made(t), func() error { return m.agree(t) }))
		t.Logf("%s: both agree about %d operators", step.name, len(m.installed))
	}
	m.met.allMet(t)
}

// made counts the copies, as a sign of progress.
func (m *market) made(t *testing.T) func() int { return func() int { return m.copies(t) } }

// installAll installs operators for all namespaces, several, one, their own, selected ones, and one without a group.
func (m *market) installAll(t *testing.T) {
	m.addNamespaces(t, "global", "multi", "single", "own", "selecting", "none")
	must(t, olm.Create(t.Context(), m.Any,
		olm.OperatorGroup("global", "all"),
		olm.OperatorGroup("multi", "several", m.spaces[0], m.spaces[1]),
		olm.OperatorGroup("single", "one", m.spaces[2]),
		olm.OperatorGroup("own", "itself", "own"),
		olm.SelectorGroup("selecting", "some", "tier", "gold"),
	))
	for _, csv := range m.published(t) {
		csv.SetNamespace("global")
		m.add(t, csv)
	}
	for _, b := range []*bundle{
		{namespace: "global", name: "ours.v1", group: "global.example.com", lifted: true},
		{namespace: "multi", name: "multi.v1", group: "multi.example.com", lifted: true},
		{namespace: "single", name: "single.v1", group: "single.example.com", lifted: true},
		{namespace: "own", name: "own.v1", group: "own.example.com", lifted: true},
	} {
		m.add(t, b.csv())
	}
	// These two fail: one selects no namespace yet, the other has no group.
	m.install(t, (&bundle{namespace: "selecting", name: "selecting.v1", group: "selecting.example.com", lifted: true}).csv())
	m.install(t, (&bundle{namespace: "none", name: "none.v1", group: "none.example.com", lifted: true}).csv())
}

func (m *market) add(t *testing.T, csv *olm.Object) {
	t.Helper()
	m.install(t, csv)
	m.installed = append(m.installed, csv.GetNamespace()+"/"+csv.GetName())
}

// mostDefinitions is how many an operator may own to be installed here: definitions cost a kube-apiserver more than all
// else, and show nothing more.
const mostDefinitions = 10

// published are the published CSVs that are at hand and that OLM can install here: webhooks need somebody who answers them,
// and conversion would change what is stored.
func (m *market) published(t *testing.T) (fit []*olm.Object) {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	all, err := olm.RealCSVs(root)
	must(t, err)
	for _, csv := range all {
		webhooks, _, _ := unstructured.NestedSlice(csv.Object, "spec", "webhookdefinitions")
		owned, _, _ := unstructured.NestedSlice(csv.Object, "spec", "customresourcedefinitions", "owned")
		if len(webhooks) == 0 && len(owned) <= mostDefinitions && olm.Supports(csv, "AllNamespaces") {
			fit = append(fit, csv)
		}
	}
	return fit
}

// relabel changes labels and annotations that copies carry, and those that they do not.
func (m *market) relabel(t *testing.T) {
	for _, each := range []string{"global/ours.v1", "multi/multi.v1", "own/own.v1"} {
		namespace, name, _ := strings.Cut(each, "/")
		must(t, olm.Mutate(t.Context(), m.Any, olm.CSVs, namespace, name, func(csv *olm.Object) {
			labels := map[string]string{"team": "blue", "operators.coreos.com/ours.global": ""}
			maps.Copy(labels, csv.GetLabels())
			csv.SetLabels(labels)
			annotations := map[string]string{
				"example.com/note": "changed", "kubectl.kubernetes.io/last-applied-configuration": `{"applied":"once"}`,
			}
			maps.Copy(annotations, csv.GetAnnotations())
			csv.SetAnnotations(annotations)
			must(t, unstructured.SetNestedField(csv.Object, "What it is called now", "spec", "displayName"))
		}))
	}
	m.shows(t, m.spaces[0], "ours.v1", func(view *olm.Object) bool { return view.GetLabels()["team"] == "blue" })
}

// addOne makes a namespace, which OLM finds for groups of all namespaces.
func (m *market) addOne(t *testing.T) {
	m.addNamespaces(t, "newcomer")
	m.shows(t, "newcomer", "ours.v1", func(*olm.Object) bool { return true })
}

// selectOne has an operator's selector meet its first namespace. OLM looks when the group is touched, or after minutes.
func (m *market) selectOne(t *testing.T) {
	must(t, olm.Mutate(t.Context(), m.Any, olm.Namespaces, "", m.spaces[3], func(space *olm.Object) {
		space.SetLabels(map[string]string{"tier": "gold"})
	}))
	must(t, olm.Mutate(t.Context(), m.Any, olm.OperatorGroups, "selecting", "some", func(group *olm.Object) {
		group.SetAnnotations(map[string]string{"example.com/touched": "yes"})
	}))
	m.installed = append(m.installed, "selecting/selecting.v1")
	m.shows(t, m.spaces[3], "selecting.v1", func(*olm.Object) bool { return true })
}

// upgrade has new versions replace old ones.
func (m *market) upgrade(t *testing.T) {
	m.installed = slices.DeleteFunc(m.installed, func(name string) bool { return name == "global/ours.v1" || name == "multi/multi.v1" })
	m.add(t, (&bundle{namespace: "global", name: "ours.v2", group: "global.example.com", lifted: true, replaces: "ours.v1"}).csv())
	m.add(t, (&bundle{namespace: "multi", name: "multi.v2", group: "multi.example.com", lifted: true, replaces: "multi.v1"}).csv())
	m.shows(t, m.spaces[0], "multi.v2", func(*olm.Object) bool { return true })
	must(t, m.isGone(t.Context(), "global", "ours.v1", m.made(t)))
	must(t, m.isGone(t.Context(), "multi", "multi.v1", m.made(t)))
}

// remove uninstalls some.
func (m *market) remove(t *testing.T) {
	for _, each := range []string{"global/ours.v2", "single/single.v1", "none/none.v1"} {
		namespace, name, _ := strings.Cut(each, "/")
		must(t, m.Any.Resource(olm.CSVs).Namespace(namespace).Delete(t.Context(), name, metav1.DeleteOptions{}))
		must(t, m.isGone(t.Context(), namespace, name, m.made(t)))
		m.installed = slices.DeleteFunc(m.installed, func(other string) bool { return other == each })
	}
}

// shows waits until a view is as wanted: else what is compared might be what was before, on both sides.
func (m *market) shows(t *testing.T, namespace, name string, wanted func(*olm.Object) bool) {
	t.Helper()
	eventually(t, func() error {
		view, err := m.Any.Resource(olm.InstalledOperators).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err == nil && !wanted(view) {
			err = fmt.Errorf("the view of %s in %s is not changed yet", name, namespace)
		}
		return err
	})
}

// agree compares what both show, one namespace after the other.
func (m *market) agree(t *testing.T) error {
	t.Helper()
	namespaces, err := m.Kube.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	judging := judgement{}
	for _, namespace := range namespaces.Items {
		if err := m.agreeIn(t, namespace.Name, judging); err != nil {
			return fmt.Errorf("in %s: %w", namespace.Name, err)
		}
	}
	// What was met on the way there may have been OLM that was not ready yet.
	maps.Copy(m.met, judging)
	return nil
}

func (m *market) agreeIn(t *testing.T, namespace string, judging judgement) error {
	t.Helper()
	copies, err := m.Any.Resource(olm.CSVs).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	views, err := m.Any.Resource(olm.InstalledOperators).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	byName := map[string]*olm.Object{}
	for i := range views.Items {
		byName[views.Items[i].GetName()] = &views.Items[i]
	}
	var wrong []error
	for _, copied := range copies.Items {
		view := byName[copied.GetName()]
		if view == nil {
			wrong = append(wrong, fmt.Errorf("only OLM shows %s", copied.GetName()))
			continue
		}
		delete(byName, copied.GetName())
		home := copied.GetLabels()[olm.CopiedFromLabel] == ""
		for _, each := range judging.unjustified(compare(copied.Object, view.Object, home)) {
			wrong = append(wrong, fmt.Errorf("%s: %s", copied.GetName(), each))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		wrong = append(wrong, fmt.Errorf("only Steward shows %s", name))
	}
	return errors.Join(wrong...)
}
