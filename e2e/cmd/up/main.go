// Command up shows Steward on a real control plane: etcd, kube-apiserver and kube-controller-manager on loopback, OLM's
// APIs and some operators in them, and Steward registered with the aggregator. Everything ends with Ctrl-C.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
	"steward.dev/e2e/samples"
)

func main() {
	leave := flag.Bool("exit-after-ready", false, "print, then end everything and exit")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, *leave)
	if err != nil && !(errors.Is(err, context.Canceled) && ctx.Err() != nil) {
		fmt.Fprintln(os.Stderr, "up:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, leave bool) (err error) {
	began := time.Now()
	fmt.Println("Starting etcd, kube-apiserver and kube-controller-manager ...")
	c, err := cluster.Start(ctx, cluster.Options{Controllers: []string{"namespace", "clusterrole-aggregation"}})
	if err != nil {
		return err
	}
	defer func() {
		fmt.Println("Ending everything ...")
		err = errors.Join(err, c.Stop())
	}()

	fmt.Println("Loading OLM's APIs, namespaces, OperatorGroups and operators ...")
	if err := load(ctx, c); err != nil {
		return err
	}
	operators, err := startOperators(ctx, c)
	if err != nil {
		return err
	}
	fmt.Println("Starting Steward and registering it with the aggregator ...")
	steward, err := c.RunSteward(ctx, "steward")
	if err != nil {
		c.DumpLogs(os.Stderr, 10)
		return err
	}
	// No policy is bound, and whoever uses this cluster is its administrator.
	controllers, err := c.RunControllers(ctx, "controllers", "--reconcilers=cleanup", "--allow-unprotected-opt-in")
	if err != nil {
		c.DumpLogs(os.Stderr, 10)
		return err
	}
	defer func() { err = errors.Join(err, controllers.Stop()) }()
	go operators.Run(ctx, func(err error) { fmt.Fprintln(os.Stderr, "up:", err) })
	tenant, err := addTenant(ctx, c)
	if err != nil {
		return err
	}
	if err := c.WaitServed(ctx); err != nil {
		return err
	}
	out, err := c.Kubectl(ctx, "get", "installedoperators", "-A")
	if err != nil {
		return err
	}
	fmt.Printf("Ready after %s.\n\n$ kubectl get installedoperators -A\n%s\n", time.Since(began).Round(100*time.Millisecond), out)
	fmt.Printf(guide, c.Admin, c.KubectlDir(), tenant, c.Dir)
	if leave {
		return nil
	}

	fmt.Println("Ctrl-C ends all of it.")
	select {
	case <-ctx.Done():
		fmt.Println()
		return nil
	case <-steward.Exited():
		return fmt.Errorf("steward ended by itself; the end of its log:\n%s", steward.Tail(20))
	case <-controllers.Exited():
		return fmt.Errorf("steward's controllers ended by themselves; the end of their log:\n%s", controllers.Tail(20))
	}
}

const guide = `Use it from another terminal:
  export KUBECONFIG=%s
  export PATH=%s:$PATH
The samples' operators are played: their finalizers go 3 s after a deletion; sandbox.example.com/hangs stays, to be aborted.

Try next:
  1. One namespace, and how each operator came to it:
       kubectl get installedoperators -n payments -o wide
  2. What a tenant sees who may only view team-blue (and that -A is refused):
       KUBECONFIG=%s kubectl get installedoperators -n team-blue
  3. Label a namespace, and an operator appears in it:
       kubectl label namespace web monitored=true && kubectl get installedoperators -n web
  4. The whole object: a drop-in for OLM's copy of the CSV, and the block scope:
       kubectl get installedoperators -n shop-prod tidepool-postgres.v5.3.1 -o yaml
  5. What the fields mean:
       kubectl explain installedoperators.scope

Logs and certificates are in %s until the end.
`

// community is where published operators go, each for its own namespace only: the list stays short.
const community = "community-operators"

func load(ctx context.Context, c *cluster.Cluster) error {
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	if err := olm.InstallCRDs(ctx, c.Any, root); err != nil {
		return err
	}
	objects, err := olm.Examples(root)
	if err != nil {
		return err
	}
	published, err := olm.RealCSVs(root)
	if err != nil {
		return err
	}
	if len(published) > 0 {
		group := olm.OperatorGroup(community, "own", community)
		objects = append(objects, olm.Namespace(community), group)
		for _, csv := range published {
			if olm.Supports(csv, "OwnNamespace") {
				objects = append(objects, olm.Installed(csv, group, community))
			}
		}
	}
	return olm.Create(ctx, c.Any, objects...)
}

// startOperators makes what people made with the sample operators, and the Deployments that a cleanup looks for. No pod runs.
func startOperators(ctx context.Context, c *cluster.Cluster) (*samples.Operators, error) {
	root, err := cluster.Root()
	if err != nil {
		return nil, err
	}
	examples := filepath.Join(root, "examples")
	operators, err := samples.New(c.Any, examples)
	if err != nil {
		return nil, err
	}
	if err := operators.Create(ctx, examples); err != nil {
		return nil, err
	}
	return operators, operators.Deploy(ctx, examples)
}

// addTenant gives a user the role view in one namespace, as an administrator would, and returns her kubeconfig.
func addTenant(ctx context.Context, c *cluster.Cluster) (string, error) {
	_, err := c.Kubectl(ctx, "create", "rolebinding", "alice", "--clusterrole=view", "--user=alice", "-n", "team-blue")
	if err != nil {
		return "", err
	}
	return c.User("alice")
}
