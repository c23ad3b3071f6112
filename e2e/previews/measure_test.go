package previews_test

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"

	"k8s.io/client-go/dynamic"
)

// A preview of 200 steps beside its dry-run calls alone, eight at a time as the previewer makes them. Goal: at most 1.3 times as long.
func TestMeasure_APreviewBesideItsDryRuns(t *testing.T) {
	if os.Getenv("STEWARD_MEASURE") == "" {
		t.Skip("measures; STEWARD_MEASURE=1 runs it")
	}
	const count = 200
	namespace := space(t)
	steps := []planned{{manifest: csv(namespace, "reed.v1")}}
	for i := range count - 1 {
		steps = append(steps, planned{manifest: configMap(namespace, fmt.Sprintf("map-%03d", i), "1")})
	}
	plan(t, namespace, "install-1", "reed.v1", steps...)
	spec := map[string]any{"installPlan": map[string]any{"name": "install-1"}}
	config, err := cluster.ClientFor(served["install-plans"].Kubeconfig)
	must(t, err)
	config.QPS = -1
	any, err := dynamic.NewForConfig(config)
	must(t, err)
	alone := func() {
		work := make(chan planned)
		var group sync.WaitGroup
		for range 8 {
			group.Add(1)
			go func() {
				defer group.Done()
				for each := range work {
					_, err := any.Resource(resources[each.manifest.GetKind()]).Namespace(namespace).Create(t.Context(), each.manifest, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
					if err != nil {
						t.Error(err)
					}
				}
			}()
		}
		for _, each := range steps {
			work <- each
		}
		close(work)
		group.Wait()
	}
	var ratios []float64
	for i := range 15 {
		// Each user's dry runs have a pace, which this is not about.
		name := fmt.Sprintf("measurer-%d-%s", i, namespace)
		allow(t, name, "", "* */*")
		client := user(t, name)
		asked(t, client, namespace, spec)
		began := time.Now()
		if _, err := ask(t, client, namespace, spec); err != nil {
			t.Fatal(err)
		}
		whole := time.Since(began)
		began = time.Now()
		alone()
		calls := time.Since(began)
		t.Logf("a preview of %d steps %s, its dry runs alone %s", count, whole, calls)
		ratios = append(ratios, float64(whole)/float64(calls))
	}
	slices.Sort(ratios)
	t.Logf("the median ratio of %d pairs is %.2f (%.2f to %.2f)", len(ratios), ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
}
