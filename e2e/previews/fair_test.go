package previews_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// One user asks on eight connections for as much as they can get: another one is answered each time at once, plain users both,
// under the cluster's own fairness.
func TestFair_R_PRJ_07_OneUserKeepsNobodyFromAsking(t *testing.T) {
	namespace := space(t)
	plan(t, namespace, "install-1", "reed.v1", planned{manifest: csv(namespace, "reed.v1")}, planned{manifest: configMap(namespace, "a", "1")})
	create := "create views.operators.coreos.com/planpreviews"
	allow(t, "greedy-"+namespace, namespace, create, "get,create,update /configmaps")
	allow(t, "other-"+namespace, namespace, create, "get operators.coreos.com/installplans")
	manifests := []any{csv(namespace, "rush.v1").Object}
	for i := range 999 {
		manifests = append(manifests, configMap(namespace, fmt.Sprintf("settings-%d", i), "1").Object)
	}
	question, err := json.Marshal(map[string]any{"apiVersion": "views.operators.coreos.com/v1alpha1", "kind": "PlanPreview",
		"metadata": map[string]any{"namespace": namespace}, "spec": map[string]any{"bundle": map[string]any{"manifests": manifests}}})
	must(t, err)
	other, spec := user(t, "other-"+namespace), map[string]any{"installPlan": map[string]any{"name": "install-1"}}
	asked(t, other, namespace, spec)

	ctx, stop := context.WithCancel(t.Context())
	var answered, refused atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		greedy := user(t, "greedy-"+namespace)
		group.Go(func() {
			for ctx.Err() == nil {
				_, err := greedy.Post().AbsPath(api+"/namespaces/"+namespace+"/planpreviews").SetHeader("Content-Type", "application/json").
					Body(question).MaxRetries(0).Do(ctx).Raw()
				switch code := kubernetesCode(err); {
				case err == nil:
					answered.Add(1)
				case code == http.StatusTooManyRequests:
					refused.Add(1)
				case ctx.Err() == nil:
					t.Logf("greedy: %.300v", err)
				}
			}
		})
	}
	// It has all that it can get.
	eventually(t, func() error {
		if refused.Load() == 0 {
			return fmt.Errorf("nothing was refused, %d answered", answered.Load())
		}
		return nil
	})
	for i := range 25 {
		began := time.Now()
		answer, err := ask(t, other, namespace, spec)
		if err != nil {
			t.Errorf("question %d: %v", i, err)
			continue
		}
		t.Logf("question %d: %s, %d hidden", i, time.Since(began), answer.Status.Hidden)
	}
	stop()
	group.Wait()
	t.Logf("greedy: %d answered, %d refused", answered.Load(), refused.Load())
}
