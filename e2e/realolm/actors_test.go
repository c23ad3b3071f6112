package realolm_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// glance is how often operators look, resync how often the kubelet looks at what it failed to write.
const (
	glance = 100 * time.Millisecond
	resync = 5 * time.Second
)

// playKubelet has each Deployment be available as soon as it is written: no pod ever runs.
func (w *world) playKubelet(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	factory := informers.NewSharedInformerFactory(w.Kube, resync)
	informer := factory.Apps().V1().Deployments().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(seen any) { w.makeAvailable(ctx, t, seen) },
		UpdateFunc: func(_, seen any) { w.makeAvailable(ctx, t, seen) },
	})
	must(t, err)
	factory.Start(ctx.Done())
	t.Cleanup(func() {
		stop()
		factory.Shutdown()
	})
}

func (w *world) makeAvailable(ctx context.Context, t *testing.T, seen any) {
	deployment, ok := seen.(*appsv1.Deployment)
	if !ok || deployment.DeletionTimestamp != nil || deployment.Status.ObservedGeneration == deployment.Generation {
		return
	}
	deployment = deployment.DeepCopy()
	replicas := int32(1)
	if deployment.Spec.Replicas != nil {
		replicas = *deployment.Spec.Replicas
	}
	deployment.Status = appsv1.DeploymentStatus{
		ObservedGeneration: deployment.Generation,
		Replicas:           replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas,
		Conditions: []appsv1.DeploymentCondition{{
			Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable",
		}},
	}
	_, err := w.Kube.AppsV1().Deployments(deployment.Namespace).UpdateStatus(ctx, deployment, metav1.UpdateOptions{})
	if err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		t.Logf("the kubelet: %v", err)
	}
}

// operator finishes custom resources that are being deleted, by removing its finalizer from them: as long as its
// Deployment is there, and with nothing but the rights of its service account.
type operator struct {
	world  *world
	bundle *bundle
	rights dynamic.Interface

	mutex sync.Mutex
	// denied is what it was last not let do; guarded by mutex.
	denied error
}

// operate starts an operator that works until the test ends.
func (w *world) operate(t *testing.T, b *bundle) *operator {
	t.Helper()
	config := rest.CopyConfig(w.Config)
	config.Impersonate.UserName = "system:serviceaccount:" + b.namespace + ":" + b.account()
	rights, err := dynamic.NewForConfig(config)
	must(t, err)
	o := &operator{world: w, bundle: b, rights: rights}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ; ctx.Err() == nil; time.Sleep(glance) {
			o.work(ctx)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return o
}

func (o *operator) work(ctx context.Context) {
	deployment, err := o.world.Kube.AppsV1().Deployments(o.bundle.namespace).Get(ctx, o.bundle.deployment(), metav1.GetOptions{})
	if err != nil || deployment.DeletionTimestamp != nil {
		return
	}
	list, err := o.rights.Resource(o.bundle.widgets()).List(ctx, metav1.ListOptions{})
	if err != nil {
		o.note(ctx, err)
		return
	}
	for _, operand := range list.Items {
		if operand.GetDeletionTimestamp() == nil || !slices.Contains(operand.GetFinalizers(), operandFinalizer) {
			continue
		}
		_, err := o.rights.Resource(o.bundle.widgets()).Namespace(operand.GetNamespace()).Patch(ctx, operand.GetName(),
			types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		o.note(ctx, err)
	}
}

func (o *operator) note(ctx context.Context, err error) {
	if ctx.Err() != nil || !apierrors.IsForbidden(err) {
		return
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.denied = err
}

// lastDenied is what it was last not let do, if anything.
func (o *operator) lastDenied() error {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.denied
}
