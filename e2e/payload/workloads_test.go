package payload_test

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"steward.dev/e2e/olm"
)

// unhealthy is a label of objects that nobody makes healthy.
const unhealthy = "e2e-unhealthy"

var workloads = map[schema.GroupVersionResource]func(*olm.Object) map[string]any{
	{Group: "apps", Version: "v1", Resource: "deployments"}: func(live *olm.Object) map[string]any {
		replicas, found, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
		if !found {
			replicas = 1
		}
		return map[string]any{
			"observedGeneration": live.GetGeneration(), "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas,
			"conditions": conditionsWith(live, "Available"),
		}
	},
	{Group: "apps", Version: "v1", Resource: "daemonsets"}: func(live *olm.Object) map[string]any {
		return map[string]any{
			"observedGeneration": live.GetGeneration(), "currentNumberScheduled": int64(0), "desiredNumberScheduled": int64(0),
			"numberMisscheduled": int64(0), "numberReady": int64(0),
		}
	},
	clusterOperators: func(live *olm.Object) map[string]any {
		return map[string]any{"conditions": conditionsWith(live, "Available")}
	},
}

// playWorkloads plays those who make Deployments, DaemonSets and ClusterOperators healthy, until the context ends.
func playWorkloads(ctx context.Context) error {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(shared.Any, time.Minute)
	for resource, status := range workloads {
		play := func(object any) {
			live := object.(*olm.Object)
			if _, is := live.GetLabels()[unhealthy]; is || live.GetDeletionTimestamp() != nil {
				return
			}
			before, _, _ := unstructured.NestedMap(live.Object, "status")
			seen, _, _ := unstructured.NestedInt64(before, "observedGeneration")
			if says(live, "Available") && (seen == live.GetGeneration() || resource == clusterOperators) {
				return
			}
			made := live.DeepCopy()
			made.Object["status"] = status(live)
			// Whoever was faster has changed it, and it comes once more.
			_, _ = shared.Any.Resource(resource).Namespace(live.GetNamespace()).UpdateStatus(ctx, made, metav1.UpdateOptions{})
		}
		_, err := factory.ForResource(resource).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: play, UpdateFunc: func(_, object any) { play(object) },
		})
		if err != nil {
			return err
		}
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return nil
}

// says whether a condition is True; a DaemonSet's is that its controller has seen it.
func says(live *olm.Object, kind string) bool {
	if live.GetKind() == "DaemonSet" {
		return true
	}
	list, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	for _, each := range list {
		if condition := each.(map[string]any); condition["type"] == kind {
			return condition["status"] == "True"
		}
	}
	return false
}

// conditionsWith are the conditions of an object, and one more that is True.
func conditionsWith(live *olm.Object, kind string) []any {
	list, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	var all []any
	for _, each := range list {
		if each.(map[string]any)["type"] != kind {
			all = append(all, each)
		}
	}
	now := time.Now().UTC().Format(time.RFC3339)
	return append(all, map[string]any{
		"type": kind, "status": "True", "reason": "AsExpected", "message": "played", "lastTransitionTime": now, "lastUpdateTime": now,
	})
}
