package node_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

const (
	allPods        = "app.kubernetes.io/name=steward"
	apiserverPods  = "app.kubernetes.io/component=apiserver," + allPods
	controllerPods = "app.kubernetes.io/component=controllers," + allPods
)

func (d doomed) resource(name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: d.group(), Version: "v1", Resource: name}
}

// pods are those of Steward's that have these labels.
func (s *scene) pods(t *testing.T, labels string) []corev1.Pod {
	t.Helper()
	list, err := s.Kube.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: labels})
	must(t, err)
	return slices.DeleteFunc(list.Items, func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil })
}

// restarts is how often containers of Steward's were started again.
func (s *scene) restarts(t *testing.T) (sum int) {
	t.Helper()
	for _, pod := range s.pods(t, allPods) {
		for _, each := range pod.Status.ContainerStatuses {
			sum += int(each.RestartCount)
		}
	}
	return sum
}

// inNode runs a line of a shell in the node, and returns what it prints.
func (s *scene) inNode(t *testing.T, format string, args ...any) string {
	t.Helper()
	out, err := s.Exec(t.Context(), "bash", "-c", fmt.Sprintf(format, args...))
	must(t, err)
	return strings.TrimSpace(out)
}

// process is the number of the process of a pod that has this name, by the control groups that name the pod.
func (s *scene) process(t *testing.T, pod corev1.Pod) string {
	t.Helper()
	return s.processNamed(t, pod, "steward")
}

func (s *scene) processNamed(t *testing.T, pod corev1.Pod, name string) string {
	t.Helper()
	pid := s.inNode(t, `for pid in $(pgrep -x %s); do if grep -q '%s' "/proc/$pid/cgroup"; then echo "$pid"; fi; done`, name, pod.UID)
	if pid == "" || strings.Contains(pid, "\n") {
		t.Fatalf("the processes of %s called %s are %q", pod.Name, name, pid)
	}
	return pid
}

// footprint is what a container takes.
type footprint struct {
	memory int64         // bytes that cannot be reclaimed
	cpu    time.Duration // of all time
}

func (s *scene) footprint(t *testing.T, pod corev1.Pod) footprint {
	t.Helper()
	group := func(name string) string {
		return fmt.Sprintf(`/sys/fs/cgroup/%s$(sed -n 's/^[0-9]*:\([a-z,]*,\)\?%s\(,[a-z,]*\)\?:\(.*\)/\3/p' /proc/%s/cgroup)`, name, name,
			s.process(t, pod))
	}
	lines := strings.Fields(s.inNode(t, `cat "%s/memory.usage_in_bytes"; sed -n 's/^total_inactive_file //p' "%s/memory.stat"; cat "%s/cpuacct.usage"`,
		group("memory"), group("memory"), group("cpuacct")))
	var numbers []int64
	for _, line := range lines {
		number, err := strconv.ParseInt(line, 10, 64)
		must(t, err)
		numbers = append(numbers, number)
	}
	if len(numbers) != 3 {
		t.Fatalf("the control groups of %s say %q", pod.Name, lines)
	}
	return footprint{memory: numbers[0] - numbers[1], cpu: time.Duration(numbers[2])}
}

// testFootprint holds what containers take to what they request, at rest, and to their limits, under load.
func testFootprint(t *testing.T, s *scene) {
	const span = 15 * time.Second
	measure := func(what string, holds func(pod corev1.Pod, used footprint)) {
		before := map[string]time.Duration{}
		pods := s.pods(t, allPods)
		for _, pod := range pods {
			before[pod.Name] = s.footprint(t, pod).cpu
		}
		began := time.Now()
		select {
		case <-t.Context().Done():
		case <-time.After(span):
		}
		for _, pod := range pods {
			used := s.footprint(t, pod)
			requests, limits := pod.Spec.Containers[0].Resources.Requests, pod.Spec.Containers[0].Resources.Limits
			t.Logf("%s: %s takes %d MiB and %.0fm CPU; it requests %s and %s, its limits are %s and %s", what, pod.Name, used.memory>>20,
				1000*(used.cpu-before[pod.Name]).Seconds()/time.Since(began).Seconds(), requests.Memory(), requests.Cpu(), limits.Memory(), limits.Cpu())
			holds(pod, used)
		}
	}
	within := func(pod corev1.Pod, used footprint, list corev1.ResourceList, what string) {
		var bound resource.Quantity
		bound, bounded := list[corev1.ResourceMemory]
		if bounded && used.memory > bound.Value() {
			t.Errorf("%s takes %d MiB, more than the %s of its %s", pod.Name, used.memory>>20, bound.String(), what)
		}
	}
	measure("at rest", func(pod corev1.Pod, used footprint) {
		within(pod, used, pod.Spec.Containers[0].Resources.Requests, "request")
	})
	l := startLoad(t, s, 100, 100)
	measure("under load", func(pod corev1.Pod, used footprint) {
		within(pod, used, pod.Spec.Containers[0].Resources.Limits, "limit")
	})
	l.end(t)
}

// testStrangers tries from a pod of somebody else's what only Steward's own pods may reach.
func testStrangers(t *testing.T, s *scene) {
	must(t, olm.Create(t.Context(), s.Any, olm.Namespace("strangers")))
	stranger, err := s.Kube.CoreV1().Pods("strangers").Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "stranger"},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name: "stranger", Image: s.image.name(), ImagePullPolicy: corev1.PullNever,
				Args:         []string{"up", "--data-dir=/data/steward"},
				VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
			}},
			Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
		},
	}, metav1.CreateOptions{})
	must(t, err)
	await(t, func() error {
		pod, err := s.Kube.CoreV1().Pods("strangers").Get(t.Context(), stranger.Name, metav1.GetOptions{})
		if err == nil && pod.Status.Phase != corev1.PodRunning {
			err = fmt.Errorf("the stranger is %s", pod.Status.Phase)
		}
		return err
	})
	frontend := s.pods(t, apiserverPods)[0]
	https := fmt.Sprintf("%s/%d", frontend.Status.PodIP, port(t, frontend, "https"))
	var grpc, closed []string
	for _, each := range s.pods(t, allPods) {
		for _, open := range each.Spec.Containers[0].Ports {
			switch address := fmt.Sprintf("%s/%d", each.Status.PodIP, open.ContainerPort); open.Name {
			case "https":
			case "grpc":
				grpc = append(grpc, address)
			default:
				closed = append(closed, address)
			}
		}
	}
	slices.Sort(grpc)
	all := slices.Sorted(slices.Values(slices.Concat(grpc, closed, []string{https})))
	reach := func(pod corev1.Pod, want []string) {
		t.Helper()
		await(t, func() error {
			if got := s.reaches(t, pod, all); !slices.Equal(got, want) {
				return fmt.Errorf("%s connects to %q, and should to %q", pod.Name, got, want)
			}
			return nil
		})
	}
	permitted := slices.Sorted(slices.Values(append([]string{https}, grpc...)))
	reach(frontend, permitted)
	reach(*stranger, []string{https})
	// It is the policies that keep it away.
	s.kubectl(t, "delete", "networkpolicy", "--all", "-n", namespace)
	reach(*stranger, all)
	s.kubectl(t, "apply", "-f", s.install)
	reach(*stranger, []string{https})
	reach(frontend, permitted)
	t.Logf("closed to strangers, and open without the policies: %q", slices.Concat(grpc, closed))
	s.kubectl(t, "delete", "namespace", "strangers", "--wait=false")
}

// reaches are those of some addresses that processes in a pod's network can connect to, sorted.
func (s *scene) reaches(t *testing.T, pod corev1.Pod, addresses []string) []string {
	t.Helper()
	open := strings.Fields(s.inNode(t, `for to in %s; do
  (nsenter --net --target %s timeout 3 bash -c "exec 3<>/dev/tcp/$to" 2>/dev/null && echo "$to") &
done; wait`, strings.Join(addresses, " "), s.process(t, pod)))
	slices.Sort(open)
	return open
}

func port(t *testing.T, pod corev1.Pod, name string) int32 {
	t.Helper()
	for _, each := range pod.Spec.Containers[0].Ports {
		if each.Name == name {
			return each.ContainerPort
		}
	}
	t.Fatalf("%s has no port %s", pod.Name, name)
	return 0
}

// testOutOfMemory takes one API server's memory away: it is started again, the other one serves meanwhile, and nothing is lost.
func testOutOfMemory(t *testing.T, s *scene) {
	before := s.kubectl(t, "get", "installedoperators", "-A", "-o", "name")
	victim := s.pods(t, apiserverPods)[0]
	stop := make(chan struct{})
	var sent, failed, unavailable atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			sent.Add(1)
			if _, err := s.Any.Resource(installedOperators).List(t.Context(), metav1.ListOptions{}); err != nil {
				failed.Add(1)
				if apierrors.IsServiceUnavailable(err) {
					unavailable.Add(1)
				}
			}
		}
	}()
	s.starve(t, victim)
	// It has to remember more and more watches.
	ctx, end := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	opened := 0
	await(t, func() error {
		for i := 0; i < 20 && opened < 2000; i++ {
			opened++
			watching.Go(func() {
				running, err := s.Any.Resource(installedOperators).Watch(ctx, metav1.ListOptions{})
				if err != nil {
					return
				}
				<-ctx.Done()
				running.Stop()
			})
		}
		return s.starved(t, victim)
	})
	end()
	watching.Wait()
	close(stop)
	<-done
	t.Logf("%d watches, and %d requests, of which %d failed, %d with 503", opened, sent.Load(), failed.Load(),
		unavailable.Load())
	// Those that it had begun, and those that came before it was no endpoint any more.
	if 2*failed.Load() > sent.Load() {
		t.Errorf("%d of %d requests failed", failed.Load(), sent.Load())
	}
	if after := s.kubectl(t, "get", "installedoperators", "-A", "-o", "name"); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// starve leaves a pod next to no page more than it has now.
func (s *scene) starve(t *testing.T, pod corev1.Pod) {
	t.Helper()
	s.inNode(t, `group=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory:\(.*\)/\1/p' /proc/%s/cgroup)
for limit in $(seq 65536 -128 1024); do echo "${limit}K" >"$group/memory.limit_in_bytes" 2>/dev/null || break; done; true`, s.process(t, pod))
}

// starved is nil once a pod has run out of memory, and was started again.
func (s *scene) starved(t *testing.T, before corev1.Pod) error {
	t.Helper()
	pod, err := s.Kube.CoreV1().Pods(namespace).Get(t.Context(), before.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	status := pod.Status.ContainerStatuses[0]
	if status.RestartCount == before.Status.ContainerStatuses[0].RestartCount || !status.Ready {
		return fmt.Errorf("%s was started %d times", pod.Name, status.RestartCount+1)
	}
	if last := status.LastTerminationState.Terminated; last == nil || last.Reason != "OOMKilled" {
		t.Errorf("it ended as %+v", last)
	}
	return nil
}

// testLeaderOutOfMemory takes the memory of the controllers' leader away in the midst of a cleanup.
func testLeaderOutOfMemory(t *testing.T, s *scene) {
	d := s.uninstall(t, "starved")
	name, _, _ := strings.Cut(s.leader(t), "_")
	pod, err := s.Kube.CoreV1().Pods(namespace).Get(t.Context(), name, metav1.GetOptions{})
	must(t, err)
	s.starve(t, *pod)
	written := 0
	await(t, func() error {
		if written < 200 {
			s.operator(t, fmt.Sprintf("large%d", written), func(csv *olm.Object) {
				csv.Object["spec"].(map[string]any)["description"] = strings.Repeat("large ", 100<<10)
			})
			written++
		}
		return s.starved(t, *pod)
	})
	t.Logf("%s ran out of memory after %d large CSVs", name, written)
	d.finish(t, s)
	s.awaitReady(t)
}
