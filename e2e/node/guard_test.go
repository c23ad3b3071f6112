package node_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
)

// deletable is how long a namespace of somebody else may take to go while nobody serves the API: the guard's grace period and two minutes.
const deletable = 4 * time.Minute

// TestNodeGuard is a cluster whose nodes lack Steward's image: at the installation, and when nodes are replaced. The steps stand on each
// other.
func TestNodeGuard(t *testing.T) {
	s := start(t)
	for _, step := range []struct {
		name string
		run  func(t *testing.T, s *scene)
	}{
		{"NothingCanBePulled", testNothingCanBePulled},
		{"NodesAreReplaced", testNodesAreReplaced},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.run(t, s) }) {
			t.FailNow()
		}
	}
}

func testNothingCanBePulled(t *testing.T, s *scene) {
	s.kubectl(t, "apply", "-f", s.install)
	await(t, func() error {
		pods := s.pods(t, "app.kubernetes.io/name=steward")
		for _, pod := range pods {
			for _, each := range pod.Status.ContainerStatuses {
				if each.State.Waiting != nil && strings.Contains(each.State.Waiting.Reason, "Image") {
					return nil
				}
			}
		}
		return fmt.Errorf("none of %d pods lacks its image", len(pods))
	})
	s.namespaceIsDeleted(t)
	if _, err := s.Kubectl(t.Context(), "get", "apiservice", cluster.APIServiceName); err == nil {
		t.Error("there is an APIService that nobody serves")
	}
	_, err := s.Exec(t.Context(), "ctr", "-n", "k8s.io", "images", "import", s.image.archive)
	must(t, err)
	s.awaitServed(t)
}

// The successors of a drained node's pods cannot start. The eviction of the last guard is refused, as a drain is told; the API servers end
// with a node that is gone.
func testNodesAreReplaced(t *testing.T, s *scene) {
	// What runs goes on; what is to start on another node finds no image.
	s.inNode(t, "ctr -n k8s.io images ls -q | grep steward | xargs ctr -n k8s.io images rm")
	guards := s.pods(t, "app.kubernetes.io/component=apiservice-guard")
	refused := 0
	for _, pod := range guards {
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: namespace}}
		if pod.Status.Phase != corev1.PodRunning {
			continue
		}
		if err := s.Kube.CoreV1().Pods(namespace).EvictV1(t.Context(), eviction); apierrors.IsTooManyRequests(err) {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	if refused == 0 {
		t.Fatalf("all of %d guards may be evicted though no other can start", len(guards))
	}
	s.kubectl(t, "delete", "pods", "-n", namespace, "-l", "app.kubernetes.io/component=apiserver", "--force", "--grace-period=0")
	s.namespaceIsDeleted(t)
	_, err := s.Exec(t.Context(), "ctr", "-n", "k8s.io", "images", "import", s.image.archive)
	must(t, err)
	s.awaitServed(t)
	s.awaitReady(t)
}

// namespaceIsDeleted deletes a namespace of somebody else.
func (s *scene) namespaceIsDeleted(t *testing.T) {
	t.Helper()
	made, err := s.Kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "left-"}},
		metav1.CreateOptions{})
	must(t, err)
	began := time.Now()
	must(t, s.Kube.CoreV1().Namespaces().Delete(t.Context(), made.Name, metav1.DeleteOptions{}))
	await(t, func() error {
		namespace, err := s.Kube.CoreV1().Namespaces().Get(t.Context(), made.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is still there: %v: %w", namespace.Status.Conditions, err)
	})
	took := time.Since(began).Round(100 * time.Millisecond)
	t.Logf("a namespace was deleted in %s", took)
	if took > deletable {
		t.Errorf("that is longer than %s", deletable)
	}
}

// awaitServed waits until Steward answers, which it does within a minute after what kept it from that is mended.
func (s *scene) awaitServed(t *testing.T) {
	t.Helper()
	began := time.Now()
	s.awaitAnswers(t)
	took := time.Since(began).Round(100 * time.Millisecond)
	t.Logf("it answers %s later", took)
	if took > answers {
		t.Errorf("that is later than %s", answers)
	}
}
