package cleanup_test

import (
	"context"
	"maps"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/olm"
)

// glance is how often the actors look.
const glance = 50 * time.Millisecond

// operator finishes custom resources that are being deleted, by removing its finalizer from them: as long as its
// Deployment runs, and with the rights that OLM gave it.
type operator struct {
	scene *scene
	// pace is waited after each custom resource, rest after it has looked at all.
	pace, rest time.Duration
	// places are the namespaces that it looks at; "" is the whole cluster.
	places []string

	mutex sync.Mutex
	// rights are its own; alone: it works without a Deployment. Guarded by mutex.
	rights dynamic.Interface
	alone  bool
	// failed is what it could not do, and why, nor when it tried again. Guarded by mutex.
	failed map[string]error
}

// operate starts an operator that goes on until the test ends. Without, custom resources are never finished.
func (s *scene) operate(t *testing.T, pace time.Duration) *operator {
	t.Helper()
	return s.operateIn(t, pace, glance, metav1.NamespaceAll)
}

func (s *scene) operateIn(t *testing.T, pace, idle time.Duration, places ...string) *operator {
	t.Helper()
	config := rest.CopyConfig(shared.Config)
	config.Impersonate.UserName = s.user()
	rights, err := dynamic.NewForConfig(config)
	must(t, err)
	o := &operator{scene: s, rights: rights, pace: pace, rest: idle, places: places, failed: map[string]error{}}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ; ctx.Err() == nil; time.Sleep(o.rest) {
			for _, place := range o.places {
				o.work(ctx, place)
			}
		}
	}()
	t.Cleanup(func() { stop(); <-done })
	return o
}

// admin has it work with an administrator's rights, and without a Deployment.
func (o *operator) admin() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.rights, o.alone = shared.Any, true
}

// means is what it works with now, if it can.
func (o *operator) means(ctx context.Context) dynamic.Interface {
	o.mutex.Lock()
	rights, alone := o.rights, o.alone
	o.mutex.Unlock()
	if alone {
		return rights
	}
	deployment, err := shared.Any.Resource(olm.Deployments).Namespace(o.scene.namespace).Get(ctx, olm.OperatorDeployment, metav1.GetOptions{})
	if err != nil || deployment.GetDeletionTimestamp() != nil {
		return nil
	}
	return rights
}

func (o *operator) work(ctx context.Context, place string) {
	for _, resource := range o.scene.resources() {
		rights := o.means(ctx)
		if rights == nil {
			return
		}
		list, err := rights.Resource(resource).Namespace(place).List(ctx, metav1.ListOptions{})
		if err != nil {
			// It matters only while there is something to do: at the end the operator's rights go before its CSV does.
			left, failed := shared.Any.Resource(resource).Namespace(place).List(ctx, metav1.ListOptions{})
			if failed == nil && len(left.Items) > 0 {
				o.note(ctx, "list "+resource.Resource, err)
			}
			continue
		}
		o.note(ctx, "list "+resource.Resource, nil)
		for _, operand := range list.Items {
			if operand.GetDeletionTimestamp() == nil || len(operand.GetFinalizers()) == 0 {
				continue
			}
			at := rights.Resource(resource).Namespace(operand.GetNamespace())
			_, err := at.Patch(ctx, operand.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			o.note(ctx, nameOf(&operand), err)
			select {
			case <-ctx.Done():
				return
			case <-time.After(o.pace):
			}
		}
	}
}

func (o *operator) note(ctx context.Context, what string, err error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if err == nil {
		delete(o.failed, what)
	} else if ctx.Err() == nil {
		o.failed[what] = err
	}
}

// failures is what it was not let do.
func (o *operator) failures() map[string]error {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return maps.Clone(o.failed)
}

func nameOf(operand *olm.Object) string {
	if operand.GetNamespace() == "" {
		return operand.GetName()
	}
	return operand.GetNamespace() + "/" + operand.GetName()
}

// conditions of a CSV, by reason.
func conditions(csv *olm.Object) map[string]map[string]any {
	byReason := map[string]map[string]any{}
	list, _, _ := unstructured.NestedSlice(csv.Object, "status", "conditions")
	for _, each := range list {
		if condition, ok := each.(map[string]any); ok {
			if reason, ok := condition["reason"].(string); ok {
				byReason[reason] = condition
			}
		}
	}
	return byReason
}
