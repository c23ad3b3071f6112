package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/node"
)

const (
	guard            = "steward-apiservice-guard"
	registrationName = cluster.APIServiceName
	// How long a namespace deletion is watched that nobody lets end.
	unguardedLimit = grace + 70*time.Second
	// How long anything else takes, at most.
	patience = 4 * time.Minute
	repeats  = 5
	complete = "complete"
)

var (
	apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	ours        = "/apis/views.operators.coreos.com/v1alpha1"
)

// span is how long something took, or that it had not ended by then, and why.
type span struct {
	took    time.Duration
	unended bool
	why     string
}

func (s span) String() string {
	text := round(s.took).String()
	if s.unended {
		text = "> " + text
	}
	if s.why != "" {
		text += " (" + s.why + ")"
	}
	return text
}

func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

// row is a line of the table.
type row struct {
	state     string
	guarded   bool
	pods      time.Duration // of `kubectl get pods -A` by a client that knows nothing yet
	discovery string        // what it lacks
	namespace span          // its deletion
	garbage   span          // the collection of an object whose owner is gone
	openapi   string        // of the whole cluster
	ours      string        // what somebody gets who asks for installedoperators
	withdrawn string        // when after the onset
	restored  string        // when after it was mended
}

func (r row) String() string {
	with := "without"
	if r.guarded {
		with = "with"
	}
	cells := []string{r.state, with, round(r.pods).String(), r.discovery, r.namespace.String(), r.garbage.String(), r.openapi, r.ours,
		r.withdrawn, r.restored}
	return "| " + strings.Join(cells, " | ") + " |"
}

type measurer struct {
	*node.Node
	background sync.WaitGroup
	numbers    int
}

func await(ctx context.Context, limit time.Duration, check func() error) error {
	deadline := time.Now().Add(limit)
	for {
		err := check()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not within %s: %w", limit, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// prepare finds out whether there is a guard.
func (m *measurer) prepare(ctx context.Context) error {
	_, err := m.Kube.AppsV1().Deployments(namespace).Get(ctx, guard, metav1.GetOptions{})
	return err
}

func (m *measurer) scale(ctx context.Context, deployment string, replicas int) error {
	if _, err := m.Kubectl(ctx, "scale", "deployment", deployment, "-n", namespace, fmt.Sprintf("--replicas=%d", replicas)); err != nil {
		return err
	}
	return await(ctx, patience, func() error {
		pods, err := m.Kube.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{
			LabelSelector: "app.kubernetes.io/component=" + strings.TrimPrefix(deployment, "steward-")})
		if err != nil {
			return err
		}
		if len(pods.Items) != replicas {
			return fmt.Errorf("%d pods of %s", len(pods.Items), deployment)
		}
		return nil
	})
}

// healthy is whether everything is as after the installation, and forgotten what was.
func (m *measurer) healthy(ctx context.Context) error {
	if err := m.Kube.CoreV1().ConfigMaps(namespace).Delete(ctx, guard, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return await(ctx, patience, func() error {
		pods, err := m.Kube.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: apiserver})
		if err != nil {
			return err
		}
		ready := 0
		for _, pod := range pods.Items {
			if slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
				return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
			}) {
				ready++
			}
		}
		if ready != 2 || len(pods.Items) != 2 {
			return fmt.Errorf("%d of %d API servers are ready", ready, len(pods.Items))
		}
		return m.served(ctx)
	})
}

// served is whether the aggregator passes requests on.
func (m *measurer) served(ctx context.Context) error {
	return m.Kube.Discovery().RESTClient().Get().AbsPath(ours).Do(ctx).Error()
}

func (m *measurer) measure(ctx context.Context, s state, guarded bool) ([]row, error) {
	replicas := 0
	if guarded {
		replicas = 2
	}
	if err := m.scale(ctx, guard, replicas); err != nil {
		return nil, err
	}
	if err := m.healthy(ctx); err != nil {
		return nil, err
	}
	before, err := m.Any.Resource(apiServices).Get(ctx, registrationName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	doomed, err := m.makeNamespace(ctx)
	if err != nil {
		return nil, err
	}
	broken, end := context.WithCancel(ctx)
	defer func() {
		end()
		m.background.Wait()
	}()
	if err := s.breaks(broken, m); err != nil {
		return nil, err
	}
	if s.harms {
		// The harm begins when the kube-apiserver has noticed, which takes it up to half a minute.
		if err := await(ctx, patience, func() error {
			if m.served(ctx) == nil || m.discover() == complete {
				return errors.New("it is still served")
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	onset := time.Now()
	deleted := make(chan span, 1)
	go func() { deleted <- m.deleteNamespace(ctx, doomed, unguardedLimit) }()
	withdrawn := make(chan span, 1)
	go func() { withdrawn <- m.awaitWithdrawal(ctx, onset, guarded && s.harms) }()

	r, err := m.look(ctx, s.name, guarded)
	if err != nil {
		return nil, err
	}
	r.namespace = <-deleted
	rows := []row{r}
	if guarded && s.harms {
		when := <-withdrawn
		if when.unended {
			return nil, fmt.Errorf("it was not withdrawn within %s", when)
		}
		rows[0].withdrawn = round(when.took).String()
		after, err := m.look(ctx, s.name+", after it was withdrawn", guarded)
		if err != nil {
			return nil, err
		}
		later, err := m.makeNamespace(ctx)
		if err != nil {
			return nil, err
		}
		after.namespace = m.deleteNamespace(ctx, later, unguardedLimit)
		rows = append(rows, after)
	}
	end()
	m.background.Wait()
	if err := s.mends(ctx, m); err != nil {
		return nil, fmt.Errorf("mending: %w", err)
	}
	mended := time.Now()
	if err := await(ctx, patience, func() error { return m.served(ctx) }); err != nil {
		return nil, err
	}
	if s.harms {
		rows[len(rows)-1].restored = round(time.Since(mended)).String()
	}
	return rows, m.same(ctx, s, before)
}

// same fails if the APIService is not as it was.
func (m *measurer) same(ctx context.Context, s state, before *unstructured.Unstructured) error {
	var differs error
	err := await(ctx, patience, func() error {
		after, err := m.Any.Resource(apiServices).Get(ctx, registrationName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(before.Object["spec"], after.Object["spec"]) || !reflect.DeepEqual(before.GetLabels(), after.GetLabels()) ||
			!reflect.DeepEqual(before.GetAnnotations(), after.GetAnnotations()) {
			differs = fmt.Errorf("the APIService was %v, and is %v", before.Object, after.Object)
			return differs
		}
		return nil
	})
	return err
}

func (m *measurer) awaitWithdrawal(ctx context.Context, onset time.Time, expected bool) span {
	if !expected {
		return span{}
	}
	err := await(ctx, grace+2*time.Minute, func() error {
		_, err := m.Any.Resource(apiServices).Get(ctx, registrationName, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("it is there"), err)
	})
	return span{took: time.Since(onset), unended: err != nil}
}

// look takes the figures that take no long time.
func (m *measurer) look(ctx context.Context, name string, guarded bool) (row, error) {
	r := row{state: name, guarded: guarded}
	var times []time.Duration
	for range repeats {
		cache, err := os.MkdirTemp("", "steward-availability-")
		if err != nil {
			return r, err
		}
		began := time.Now()
		_, err = m.Kubectl(ctx, "get", "pods", "-A", "--cache-dir="+cache)
		times = append(times, time.Since(began))
		if err := errors.Join(err, os.RemoveAll(cache)); err != nil {
			return r, err
		}
	}
	slices.Sort(times)
	r.pods = times[len(times)/2]
	r.discovery = m.discover()
	r.openapi = m.describe(ctx)
	began := time.Now()
	_, err := m.Kubectl(ctx, "get", "installedoperators", "-A", "--request-timeout=20s")
	took := round(time.Since(began)).String()
	switch {
	case err == nil:
		r.ours = "200 in " + took
	case strings.Contains(err.Error(), "the server doesn't have a resource type"), strings.Contains(err.Error(), "(NotFound)"):
		r.ours = "404 in " + took
	default:
		r.ours = "503 in " + took
		// Whoever runs this wants to know.
		if !strings.Contains(err.Error(), "currently unable to handle the request") && !strings.Contains(err.Error(), "error trying to reach") {
			fmt.Println("  installedoperators:", err)
		}
	}
	r.garbage, err = m.collect(ctx)
	return r, err
}

// discover says which groups client-go does not get to know, as the namespace controller and the garbage collector ask.
func (m *measurer) discover() string {
	_, err := m.Kube.Discovery().ServerPreferredResources()
	var failed *discovery.ErrGroupDiscoveryFailed
	switch {
	case err == nil:
		return complete
	case errors.As(err, &failed):
		var groups []string
		for group := range failed.Groups {
			groups = append(groups, group.Group)
		}
		return "lacks " + strings.Join(groups, ", ")
	default:
		return err.Error()
	}
}

func (m *measurer) describe(ctx context.Context) string {
	var texts []string
	for _, path := range []string{"/openapi/v3", "/openapi/v2"} {
		began := time.Now()
		err := m.Kube.Discovery().RESTClient().Get().AbsPath(path).Do(ctx).Error()
		text := round(time.Since(began)).String()
		if err != nil {
			text = "fails"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

func (m *measurer) makeNamespace(ctx context.Context) (string, error) {
	m.numbers++
	name := fmt.Sprintf("doomed-%d", m.numbers)
	if _, err := m.Kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	_, err := m.Kube.CoreV1().ConfigMaps(name).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	return name, err
}

func (m *measurer) deleteNamespace(ctx context.Context, name string, limit time.Duration) span {
	began := time.Now()
	if err := m.Kube.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return span{unended: true, why: err.Error()}
	}
	why := ""
	err := await(ctx, limit, func() error {
		found, err := m.Kube.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, condition := range found.Status.Conditions {
			if condition.Type == corev1.NamespaceDeletionDiscoveryFailure && condition.Status == corev1.ConditionTrue {
				why = condition.Reason
			}
		}
		return errors.New("it is there")
	})
	return span{took: time.Since(began), unended: err != nil, why: why}
}

// collect makes two ConfigMaps, of which one owns the other, deletes the owner, and waits for the other's end.
func (m *measurer) collect(ctx context.Context) (span, error) {
	maps := m.Kube.CoreV1().ConfigMaps("default")
	m.numbers++
	owner, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("owner-%d", m.numbers)}}, metav1.CreateOptions{})
	if err != nil {
		return span{}, err
	}
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("owned-%d", m.numbers), OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}}}}
	if _, err := maps.Create(ctx, owned, metav1.CreateOptions{}); err != nil {
		return span{}, err
	}
	began := time.Now()
	if err := maps.Delete(ctx, owner.Name, metav1.DeleteOptions{}); err != nil {
		return span{}, err
	}
	err = await(ctx, time.Minute, func() error {
		_, err := maps.Get(ctx, owned.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("it is there"), err)
	})
	return span{took: time.Since(began), unended: err != nil}, nil
}
