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

// How long a payload of 900 manifests takes, fresh and without a change, against the bare requests that it consists of, as many at a time.
// What is measured is `steward payload apply`, its start and the reviews of its rights included.
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
		apply := func() time.Duration {
			began := time.Now()
			succeeds(t, "payload", "apply", folder, "--kubeconfig", account)
			return time.Since(began)
		}
		bareApply := at16(objects, func(object *olm.Object) error {
			made := applied(object)
			made.SetNamespace(bare.GetName())
			_, err := client.Resource(core("configmaps")).Namespace(bare.GetName()).Apply(context.Background(), made.GetName(), made,
				metav1.ApplyOptions{FieldManager: "bare", Force: true})
			return err
		})
		bareGet := func() (time.Duration, error) {
			return at16(objects, func(object *olm.Object) error {
				_, err := client.Resource(core("configmaps")).Namespace(where).Get(context.Background(), object.GetName(), metav1.GetOptions{})
				return err
			})()
		}
		writes, err := bareApply()
		must(t, err)
		fresh := apply()
		gets, err := bareGet()
		must(t, err)
		unchanged := apply()
		t.Logf("round %d: fresh %v, bare writes %v: %.2f; unchanged %v, bare reads %v: %.2f", round+1,
			fresh.Round(time.Millisecond), writes.Round(time.Millisecond), fresh.Seconds()/writes.Seconds(),
			unchanged.Round(time.Millisecond), gets.Round(time.Millisecond), unchanged.Seconds()/gets.Seconds())
	}
}

// at16 does something to all objects, sixteen at a time.
func at16(objects []*olm.Object, do func(*olm.Object) error) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		began := time.Now()
		work := make(chan *olm.Object)
		var group sync.WaitGroup
		var mutex sync.Mutex
		var failed error
		for range 16 {
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
