package stage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// The bench's user: of the group system:masters, as the peers were measured, so that no server asks who may do what.
const (
	token     = "bench-token"
	tokenLine = token + `,bench,bench,"system:masters"` + "\n"
)

// Paths of what is listed.
const (
	CopiesPath = "/apis/operators.coreos.com/v1alpha1/clusterserviceversions"
	ViewsPath  = "/apis/views.operators.coreos.com/v1alpha1/installedoperators"
	// DiscoveryPath names the resources of Steward's API.
	DiscoveryPath = "/apis/views.operators.coreos.com/v1alpha1"
)

// CopiesIn is where a namespace's copies are, ViewsIn where its virtual objects are.
func CopiesIn(namespace string) string {
	return "/apis/operators.coreos.com/v1alpha1/namespaces/" + namespace + "/clusterserviceversions"
}

func ViewsIn(namespace string) string {
	return "/apis/views.operators.coreos.com/v1alpha1/namespaces/" + namespace + "/installedoperators"
}

// Cluster is a control plane with the operators, Steward behind it, and the static servers; and once Fill was called, with
// a copy of each operator in every namespace.
type Cluster struct {
	*cluster.Cluster
	Operators  *Operators
	Namespaces []string // the ones made for the bench
	Objects    int      // virtual objects there are; and as many ClusterServiceVersions, once there are copies

	Kube       load.Server // listing real copies
	Steward    load.Server // listing virtual objects
	Aggregated load.Server // Steward through the kube-apiserver
	StaticHop  load.Server // the static backend through the kube-apiserver
	Static     *Static
	Backend    *Backend

	Filled                    bool        // there are copies
	BeforeCopies, AfterCopies load.Memory // of the kube-apiserver, once there are

	dir     string
	secrets *Secrets
	steward *cluster.Steward
	targets []string // every namespace but the operators' own
}

// Progress tells what is being done.
type Progress func(format string, args ...any)

// StartCluster sets everything up. dir is the bench's own folder. What it returns is to be stopped even after an error.
func StartCluster(ctx context.Context, dir string, operators *Operators, namespaces int, say Progress) (c *Cluster, err error) {
	c = &Cluster{Operators: operators, dir: dir}
	tokens := filepath.Join(dir, "tokens.csv")
	if err := os.WriteFile(tokens, []byte(tokenLine), 0o600); err != nil {
		return c, err
	}
	say("starting etcd and kube-apiserver")
	c.Cluster, err = cluster.Start(ctx, cluster.Options{APIServerFlags: []string{"--token-auth-file=" + tokens}})
	if err != nil {
		return c, err
	}
	if err := c.install(ctx, namespaces); err != nil {
		return c, err
	}
	say("starting Steward, nghttpd and a static API server")
	if err := c.startServers(ctx); err != nil {
		return c, err
	}
	all, err := c.Any.Resource(olm.Namespaces).List(ctx, metav1.ListOptions{})
	if err != nil {
		return c, err
	}
	for _, namespace := range all.Items {
		if namespace.GetName() != Origin {
			c.targets = append(c.targets, namespace.GetName())
		}
	}
	c.Objects = len(all.Items) * len(c.Operators.CSVs)
	return c, nil
}

// install makes the definitions, the namespaces, and the operators.
func (c *Cluster) install(ctx context.Context, namespaces int) error {
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	if err := olm.InstallCRDs(ctx, c.Any, root); err != nil {
		return err
	}
	if err := olm.Create(ctx, c.Any, olm.Namespace(Origin), c.Operators.Group); err != nil {
		return err
	}
	if err := olm.Create(ctx, c.Any, c.Operators.CSVs...); err != nil {
		return err
	}
	for i := range namespaces {
		c.Namespaces = append(c.Namespaces, fmt.Sprintf("bench-%04d", i))
	}
	return parallel(ctx, c.Namespaces, func(ctx context.Context, name string) error {
		return olm.Create(ctx, c.Any, olm.Namespace(name))
	})
}

func (c *Cluster) startServers(ctx context.Context) (err error) {
	if c.secrets, err = NewSecrets(c.dir, "localhost", backendService+"."+backendSpace+".svc"); err != nil {
		return err
	}
	if c.Static, err = StartStatic(c.dir, c.secrets, runtime.NumCPU()); err != nil {
		return err
	}
	if c.Backend, err = StartBackend(c.dir, c.secrets, c.Static.folder); err != nil {
		return err
	}
	if err := c.Backend.Register(ctx, c.Cluster, c.secrets); err != nil {
		return err
	}
	if c.steward, err = c.RunSteward(ctx, "steward"); err != nil {
		return err
	}
	if err := c.WaitServed(ctx); err != nil {
		return err
	}
	// By token alone: with the administrator's certificate it would not be the bench's user.
	config := &rest.Config{Host: c.URL(), TLSClientConfig: rest.TLSClientConfig{CAFile: c.ServingCAFile()}}
	apiserver := c.APIServer().Pid()
	if c.Kube, err = serverOf("kube-apiserver", config, token, apiserver); err != nil {
		return err
	}
	if c.Steward, err = c.serverOf(c.steward); err != nil {
		return err
	}
	if c.Aggregated, err = serverOf("Steward through the aggregator", config, token, apiserver, c.steward.Pid()); err != nil {
		return err
	}
	c.StaticHop, err = serverOf("static bytes through the aggregator", config, token, append(c.Backend.PIDs, apiserver)...)
	return err
}

func (c *Cluster) serverOf(s *cluster.Steward) (load.Server, error) {
	return serverOf("Steward", s.Anonymous(), token, s.Pid())
}

// Fresh starts one more Steward with these flags besides, which nobody has asked anything yet. Stop it.
func (c *Cluster) Fresh(ctx context.Context, name string, flags ...string) (*cluster.Steward, load.Server, error) {
	fresh, err := c.steward.Beside(name)
	if err != nil {
		return nil, load.Server{}, err
	}
	if err := fresh.Start(flags...); err != nil {
		return fresh, load.Server{}, err
	}
	if err := fresh.WaitReady(ctx); err != nil {
		return fresh, load.Server{}, err
	}
	server, err := c.serverOf(fresh)
	return fresh, server, err
}

// Unstarted is one more Steward that the caller starts.
func (c *Cluster) Unstarted(name string) (*cluster.Steward, load.Server, error) {
	fresh, err := c.steward.Beside(name)
	if err != nil {
		return nil, load.Server{}, err
	}
	server, err := serverOf("Steward", fresh.Anonymous(), token)
	return fresh, server, err
}

// HopPath is where a static file is behind the aggregator.
func (c *Cluster) HopPath(file string) string { return backendPath(file) }

// HopReady waits until the aggregator leads to the static backend.
func (c *Cluster) HopReady(ctx context.Context, file string) error {
	return Started(ctx, c.Backend.process, &c.StaticHop, c.HopPath(file))
}

// Processes are those that must not count as other programs.
func (c *Cluster) Processes() []int {
	pids := []int{c.APIServer().Pid(), c.Etcd().Pid(), c.steward.Pid()}
	return append(append(pids, c.Static.PIDs...), c.Backend.PIDs...)
}

// Stop ends everything.
func (c *Cluster) Stop() error {
	err := errors.Join(c.Backend.Stop(), c.Static.Stop())
	if c.Cluster != nil {
		err = errors.Join(err, c.Cluster.Stop())
	}
	return err
}
