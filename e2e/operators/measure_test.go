package operators_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// measuring skips a case that is about figures.
func measuring(t *testing.T) {
	t.Helper()
	if os.Getenv("STEWARD_MEASURE") == "" {
		t.Skip("STEWARD_MEASURE is not set")
	}
}

// atATime does something `count` times, 16 at a time.
func atATime(t *testing.T, count int, do func(i int) error) time.Duration {
	t.Helper()
	began := time.Now()
	work := make(chan int)
	failures := make(chan error, count)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for i := range work {
				if err := do(i); err != nil {
					failures <- err
				}
			}
		})
	}
	for i := range count {
		work <- i
	}
	close(work)
	group.Wait()
	close(failures)
	for err := range failures {
		must(t, err)
	}
	return time.Since(began)
}

func writes(t *testing.T, metric string) (sum float64) {
	t.Helper()
	_, text, err := operating.Get(t.Context(), "/metrics")
	must(t, err)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, metric) {
			fields := strings.Fields(line)
			value, err := strconv.ParseFloat(fields[len(fields)-1], 64)
			must(t, err)
			sum += value
		}
	}
	return sum
}

func resident(t *testing.T) string {
	t.Helper()
	return memory(t, "VmRSS:")
}

// peak is the most that was ever resident, in bytes.
func peak(t *testing.T) int {
	t.Helper()
	kilobytes, err := strconv.Atoi(strings.TrimSuffix(memory(t, "VmHWM:"), " kB"))
	must(t, err)
	return kilobytes << 10
}

func memory(t *testing.T, which string) string {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(operating.Pid()), "status"))
	must(t, err)
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, which); found {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// 500 Operators with 20 components each: what a component's change costs, and idleness.
func TestMeasure_500Operators(t *testing.T) {
	measuring(t)
	const count, components = 500, 20
	s := newScene(t, 0)
	atATime(t, count, func(i int) error {
		return olm.Create(context.Background(), shared.Any, olm.CSV(fmt.Sprintf("reed-%03d", i), s.group, s.home))
	})
	label := func(i int) string { return fmt.Sprintf("operators.coreos.com/reed-%03d.%s", i, s.home) }
	atATime(t, count*(components-1), func(k int) error {
		each := object("v1", "ConfigMap", s.home, fmt.Sprintf("settings-%05d", k))
		each.SetLabels(map[string]string{olm.ManagedLabel: "true", label(k % count): ""})
		return olm.CreateAs(context.Background(), shared.Any, configMaps, each)
	})
	settle := func() {
		for before := -1.0; ; time.Sleep(10 * time.Second) {
			now := writes(t, "steward_operator_writes_total")
			if now == before {
				return
			}
			before = now
		}
	}
	settle()
	for _, i := range []int{0, 7, count - 1} {
		got, err := numberOfComponents(fmt.Sprintf("reed-%03d.%s", i, s.home))
		must(t, err)
		if got != components {
			t.Fatalf("%d components", got)
		}
	}
	before := writes(t, "steward_operator_writes_total")
	const changes = 100
	atATime(t, changes, func(i int) error {
		patch := fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, label(i))
		_, err := shared.Any.Resource(configMaps).Namespace(s.home).Patch(context.Background(), fmt.Sprintf("settings-%05d", i), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	})
	settle()
	changed := writes(t, "steward_operator_writes_total")
	time.Sleep(time.Minute)
	idle := writes(t, "steward_operator_writes_total")
	t.Logf("%d changes: %.0f writes; in an idle minute: %.0f; resident %s", changes, changed-before, idle-changed, resident(t))
}

func numberOfComponents(name string) (int, error) {
	all, err := components(name)
	return len(all), err
}

// RBAC of 6 operators into 1,000 namespaces, against as many bare creations by the same account, which the same policies judge.
func TestMeasure_RBACInto1000Namespaces(t *testing.T) {
	measuring(t)
	const count, namespaces = 6, 1000
	s := newScene(t, 0)
	prefix := s.home + "-n"
	s.targets = nil
	for i := range namespaces {
		s.targets = append(s.targets, fmt.Sprintf("%s%04d", prefix, i))
	}
	bare := make([]string, namespaces)
	atATime(t, namespaces, func(i int) error {
		bare[i] = fmt.Sprintf("%sb%04d", prefix, i)
		return olm.Create(context.Background(), shared.Any, olm.Namespace(s.targets[i]), olm.Namespace(bare[i]))
	})
	t.Cleanup(func() { removeNamespaces(append(s.targets, bare...)) })
	s.retarget(s.targets...)
	must(t, operating.Stop())
	for i := range count {
		s.install(fmt.Sprintf("reed-%d.v1", i), secretsRules("get"))
	}
	total := func(resource schema.GroupVersionResource) int {
		list, err := shared.Any.Resource(resource).List(t.Context(), metav1.ListOptions{LabelSelector: "olm.copiedFrom=" + s.home, ResourceVersion: "0"})
		must(t, err)
		return len(list.Items)
	}
	for total(olm.CSVs) < count*namespaces {
		time.Sleep(time.Second)
	}
	client, err := as(accountUser)
	must(t, err)
	made := atATime(t, count*namespaces*2, func(k int) error {
		name, where := fmt.Sprintf("bare-%d", k%count), bare[(k/count)%namespaces]
		labels := olm.OwnerLabels(where, "bare")
		labels["olm.copiedFrom"] = s.home
		if k < count*namespaces {
			role := object("rbac.authorization.k8s.io/v1", "Role", where, name)
			role.SetLabels(labels)
			role.Object["rules"] = secretsRules("get")
			_, err := client.Resource(roles).Namespace(where).Create(context.Background(), role, metav1.CreateOptions{})
			return err
		}
		binding := object("rbac.authorization.k8s.io/v1", "RoleBinding", where, name)
		binding.Object["roleRef"] = map[string]any{"apiGroup": roles.Group, "kind": "Role", "name": name}
		binding.Object["subjects"] = []any{map[string]any{"kind": "ServiceAccount", "name": "reed", "namespace": s.home}}
		binding.SetLabels(labels)
		_, err := client.Resource(roleBindings).Namespace(where).Create(context.Background(), binding, metav1.CreateOptions{})
		return err
	})
	atATime(t, namespaces*2, func(k int) error {
		resource := []schema.GroupVersionResource{roles, roleBindings}[k%2]
		return shared.Any.Resource(resource).Namespace(bare[k/2]).DeleteCollection(context.Background(), metav1.DeleteOptions{}, metav1.ListOptions{})
	})
	began := time.Now()
	must(t, startOperating(t.Context()))
	for total(roleBindings) < count*namespaces || total(roles) < count*namespaces {
		time.Sleep(500 * time.Millisecond)
	}
	took := time.Since(began)
	t.Logf("%d objects in %v, bare %v: %.2f; resident %s", count*namespaces*2, took.Round(time.Millisecond), made.Round(time.Millisecond),
		made.Seconds()/took.Seconds(), resident(t))
}
