package cluster

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// The harness itself, without Steward: if these fail, no other result means anything.

func start(t *testing.T, options Options) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			c.DumpLogs(os.Stderr, 30)
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestClusterServesRestartsAndStaysItself(t *testing.T) {
	c, ctx := start(t, Options{}), t.Context()

	version, err := c.Kube.Discovery().ServerVersion()
	if err != nil || !strings.HasPrefix(version.GitVersion, "v1.") || version.Minor == "" {
		t.Fatalf("server version %+v, %v: want a release's", version, err)
	}
	out, err := c.Kubectl(ctx, "get", "namespaces", "-o", "name")
	if err != nil || !strings.Contains(out, "namespace/kube-system") {
		t.Fatalf("kubectl get namespaces: %q, %v", out, err)
	}

	kubeconfig, err := c.User("nobody-special", "some-group")
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.KubectlAs(ctx, kubeconfig, "get", "secrets", "-n", "default")
	if err == nil || !strings.Contains(err.Error(), `User "nobody-special" cannot list resource "secrets"`) {
		t.Fatalf("a user without rights got: %v", err)
	}

	if err := c.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Kube.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{}); err == nil {
		t.Fatal("the kube-apiserver answers although it was stopped")
	}
	if err := c.StartAPIServer(ctx); err != nil {
		t.Fatal(err)
	}
	c.KillAPIServer()
	if err := c.StartAPIServer(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Kube.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{}); err != nil {
		t.Fatalf("after the restarts: %v", err)
	}
}

func TestServiceAccountTokens(t *testing.T) {
	c, ctx := start(t, Options{Controllers: []string{"serviceaccount"}}), t.Context()
	deadline := time.Now().Add(startWithin)
	for {
		kubeconfig, err := c.ServiceAccount(ctx, "default", "default")
		if err == nil {
			config, err := ClientFor(kubeconfig)
			if err != nil {
				t.Fatal(err)
			}
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = client.CoreV1().Secrets("default").List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
				t.Fatalf("the account has no rights, yet it got: %v", err)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

const bereavedEnv = "STEWARD_E2E_BEREAVED"

// TestChildrenDieWithTheirParent runs this test binary again; that one starts a cluster and is killed with -9.
func TestChildrenDieWithTheirParent(t *testing.T) {
	if os.Getenv(bereavedEnv) != "" {
		c, err := Start(context.Background(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("cluster %d %d %s\n", c.etcd.Pid(), c.apiserver.Pid(), c.Dir)
		select {} // until killed
	}
	child := exec.Command(os.Args[0], "-test.run=^TestChildrenDieWithTheirParent$")
	child.Env = append(os.Environ(), bereavedEnv+"=1")
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var etcd, apiserver int
	var dir string
	for lines := bufio.NewScanner(out); dir == "" && lines.Scan(); {
		_, _ = fmt.Sscanf(lines.Text(), "cluster %d %d %s", &etcd, &apiserver, &dir)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	if dir == "" {
		t.Fatal("the other run started no cluster")
	}
	defer os.RemoveAll(dir)
	deadline := time.Now().Add(stopGrace)
	for alive(etcd) || alive(apiserver) {
		if time.Now().After(deadline) {
			t.Fatalf("still running: etcd %t, kube-apiserver %t", alive(etcd), alive(apiserver))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// alive ignores zombies: nobody may be left to collect them.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
