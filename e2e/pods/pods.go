// Package pods plays the kubelet for Steward's own Deployments, whoever installed them: the program of each runs once, as a process on
// loopback, with the arguments, Secrets and ConfigMaps that its pod would have, and under the rights of its ServiceAccount.
package pods

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
)

const namespace = "steward-system"

// LeadServiceHere has the aggregator call the process of this machine where it would call a pod.
func LeadServiceHere(ctx context.Context, c *cluster.Cluster) error {
	patch := []byte(`{"spec":{"type":"ExternalName","externalName":"localhost","selector":null,"clusterIP":null,"clusterIPs":null}}`)
	_, err := c.Kube.CoreV1().Services(namespace).Patch(ctx, "steward-apiserver", types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// listens are arguments that name an address or a port to listen on.
var listens = regexp.MustCompile(`^(--[a-z-]+)=(:?)(\d+)$`)

// Pod is a process in place of a Deployment's pods.
type Pod struct {
	*cluster.Process
	// Ports are those that it listens on, by the flag.
	Ports map[string]int
}

// Start runs the program of a Deployment, and returns at once. It waits for the Secrets and ConfigMaps that a pod would wait for.
func Start(ctx context.Context, c *cluster.Cluster, deployment string, more ...string) (*Pod, error) {
	program, err := cluster.Binary()
	if err != nil {
		return nil, err
	}
	found, err := c.Kube.AppsV1().Deployments(namespace).Get(ctx, deployment, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	pod := found.Spec.Template.Spec
	container := pod.Containers[0]
	kubeconfig, err := c.ServiceAccount(ctx, namespace, pod.ServiceAccountName)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(c.Dir, deployment+"-")
	if err != nil {
		return nil, err
	}
	mounts := map[string]string{}
	for _, volume := range pod.Volumes {
		at := filepath.Join(folder, volume.Name)
		if err := check.Poll(func() error { return fill(ctx, c, volume, at) }); err != nil {
			return nil, fmt.Errorf("%s: volume %s: %w", deployment, volume.Name, err)
		}
		for _, mount := range container.VolumeMounts {
			if mount.Name == volume.Name {
				mounts[mount.MountPath] = at
			}
		}
	}
	made := &Pod{Ports: map[string]int{}}
	args := append([]string(nil), container.Args...)
	for i, arg := range args {
		if listen := listens.FindStringSubmatch(arg); listen != nil && (listen[2] == ":" || listen[1] == "--secure-port") {
			port, err := cluster.FreePort()
			if err != nil {
				return nil, err
			}
			made.Ports[listen[1]] = port
			args[i] = listen[1] + "=" + strconv.Itoa(port)
			if listen[2] == ":" {
				args[i] = listen[1] + "=127.0.0.1:" + strconv.Itoa(port)
			}
		}
		name, value, _ := strings.Cut(arg, "=")
		for mounted, at := range mounts {
			if path.Dir(value) == mounted {
				args[i] = name + "=" + filepath.Join(at, path.Base(value))
			}
		}
	}
	if made.Ports["--secure-port"] != 0 {
		more = append([]string{"--bind-address=127.0.0.1"}, more...)
	}
	made.Process, err = cluster.Spawn(folder, deployment, program, append(append(args, "--kubeconfig="+kubeconfig), more...)...)
	return made, err
}

// fill writes what a volume holds into a folder.
func fill(ctx context.Context, c *cluster.Cluster, volume corev1.Volume, folder string) error {
	data := map[string][]byte{}
	optional := false
	var err error
	switch {
	case volume.Secret != nil:
		optional = volume.Secret.Optional != nil && *volume.Secret.Optional
		var secret *corev1.Secret
		if secret, err = c.Kube.CoreV1().Secrets(namespace).Get(ctx, volume.Secret.SecretName, metav1.GetOptions{}); err == nil {
			data = secret.Data
		}
	case volume.ConfigMap != nil:
		optional = volume.ConfigMap.Optional != nil && *volume.ConfigMap.Optional
		var config *corev1.ConfigMap
		if config, err = c.Kube.CoreV1().ConfigMaps(namespace).Get(ctx, volume.ConfigMap.Name, metav1.GetOptions{}); err == nil {
			for key, value := range config.Data {
				data[key] = []byte(value)
			}
		}
	default:
		return fmt.Errorf("it is neither a Secret nor a ConfigMap")
	}
	if err != nil && !(optional && apierrors.IsNotFound(err)) {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for key, value := range data {
		if err := os.WriteFile(filepath.Join(folder, key), value, 0o600); err != nil {
			return err
		}
	}
	return nil
}
