package chart

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
)

func (l *life) deployment(t *testing.T, name string) *appsv1.Deployment {
	t.Helper()
	deployment, err := l.Kube.AppsV1().Deployments(namespace).Get(t.Context(), name, metav1.GetOptions{})
	must(t, err)
	return deployment
}

// said is what the Jobs' programs printed, one after the other.
func (l *life) said() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return append([]string(nil), l.jobs...)
}

// playJobs does for the pods of Jobs what a node does: it runs their programs, under their accounts, and says how they ended.
func (l *life) playJobs(ctx context.Context) error {
	pods := l.Kube.CoreV1().Pods(namespace)
	for {
		watch, err := pods.Watch(ctx, metav1.ListOptions{LabelSelector: "job-name"})
		if err != nil {
			return err
		}
		for event := range watch.ResultChan() {
			pod, ok := event.Object.(*corev1.Pod)
			if !ok || pod.Status.Phase != corev1.PodPending || pod.DeletionTimestamp != nil {
				continue
			}
			if err := l.playPod(ctx, pod); err != nil && !apierrors.IsNotFound(err) {
				return err
			}
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

func (l *life) playPod(ctx context.Context, pod *corev1.Pod) error {
	// It may have been played already, when the watch began anew.
	pod, err := l.Kube.CoreV1().Pods(namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err != nil || pod.Status.Phase != corev1.PodPending {
		return err
	}
	program, err := cluster.Binary()
	if err != nil {
		return err
	}
	kubeconfig, err := l.ServiceAccount(ctx, namespace, pod.Spec.ServiceAccountName)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp(l.dir, "pod-")
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, program, pod.Spec.Containers[0].Args...)
	command.Env = []string{"HOME=" + home, "KUBECONFIG=" + kubeconfig}
	out, err := command.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return err
	}
	l.mutex.Lock()
	l.jobs = append(l.jobs, string(out))
	l.mutex.Unlock()
	code := int32(command.ProcessState.ExitCode())
	pod.Status.Phase = corev1.PodSucceeded
	if code != 0 {
		pod.Status.Phase = corev1.PodFailed
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: pod.Spec.Containers[0].Name, Image: pod.Spec.Containers[0].Image,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, FinishedAt: metav1.Now()}},
	}}
	_, err = l.Kube.CoreV1().Pods(namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}
