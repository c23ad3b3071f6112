package payload_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// How long a payload of 900 manifests takes, fresh and without a change, against the bare requests that it consists of, as many at a time: 16 in an update, 4 afterwards.
// What is measured is `steward payload apply`; beside it stands what is left without its start, which is that of one manifest.
func TestMeasure_900Manifests(t *testing.T) {
	if os.Getenv("STEWARD_MEASURE") == "" {
		t.Skip("STEWARD_MEASURE is not set")
	}
	const count, components, rounds = 900, 30, 3
	config, err := cluster.ClientFor(account)
	must(t, err)
	client, err := dynamic.NewForConfig(config)
	must(t, err)
	for round := range rounds {
		s := newScene(t)
		where := s.namespace()
		bare := namespaced(s.name + "-bare")
		s.there(bare)
		wanted := files{}
		objects := make([]*olm.Object, count)
		for i := range count {
			objects[i] = configMap(where, fmt.Sprintf("settings-%03d", i))
			wanted[fmt.Sprintf("0000_50_component-%02d_%03d.yaml", i%components, i)] = docs(applied(objects[i]))
		}
		folder := s.folder("4.5.0", wanted)
		one := s.folder("4.4.0", files{"0000_50_component_1.yaml": docs(applied(configMap(where, "one")))})
		apply := func(folder string) time.Duration {
			began := time.Now()
			succeeds(t, "payload", "apply", folder, "--yes", "--kubeconfig", account)
			return time.Since(began)
		}
		bareApply := atATime(16, objects, func(object *olm.Object) error {
			made := applied(object)
			made.SetNamespace(bare.GetName())
			_, err := client.Resource(core("configmaps")).Namespace(bare.GetName()).Apply(context.Background(), made.GetName(), made,
				metav1.ApplyOptions{FieldManager: "bare", Force: true})
			return err
		})
		bareGet := func() (time.Duration, error) {
			return atATime(4, objects, func(object *olm.Object) error {
				_, err := client.Resource(core("configmaps")).Namespace(where).Get(context.Background(), object.GetName(), metav1.GetOptions{})
				return err
			})()
		}
		writes, err := bareApply()
		must(t, err)
		apply(one)
		start := apply(one)
		fresh := apply(folder)
		gets, err := bareGet()
		must(t, err)
		unchanged := apply(folder)
		report := func(what string, took, bare time.Duration) {
			t.Logf("round %d: %s %v, bare %v: %.2f, without the start of %v %.2f", round+1, what, took.Round(time.Millisecond),
				bare.Round(time.Millisecond), took.Seconds()/bare.Seconds(), start.Round(time.Millisecond), (took-start).Seconds()/bare.Seconds())
		}
		report("fresh", fresh, writes)
		report("unchanged", unchanged, gets)
	}
}

// atATime does something to all objects, some at a time.
func atATime(width int, objects []*olm.Object, do func(*olm.Object) error) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		began := time.Now()
		work := make(chan *olm.Object)
		var group sync.WaitGroup
		var mutex sync.Mutex
		var failed error
		for range width {
			group.Add(1)
			go func() {
				defer group.Done()
				for object := range work {
					if err := do(object); err != nil {
						mutex.Lock()
						failed = err
						mutex.Unlock()
					}
				}
			}()
		}
		for _, each := range objects {
			work <- each
		}
		close(work)
		group.Wait()
		return time.Since(began), failed
	}
}
