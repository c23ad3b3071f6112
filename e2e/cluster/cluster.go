// Package cluster runs a real Kubernetes control plane on loopback, without containers: etcd, kube-apiserver and, when
// asked for, kube-controller-manager; and beside it Steward, registered with the aggregator as in production.
//
// Several clusters can run at once. Each keeps its files in a folder of its own, ends only the processes that it
// started, and its processes die with the program that started them.
package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const (
	// startWithin is how long a server may take to become ready. Seconds are usual; a busy machine gets more.
	startWithin = 3 * time.Minute
	// stopGrace is how long a server may take to end after SIGTERM before it is killed.
	stopGrace = time.Minute
	// answerWithin is how long one question about a server's health may take.
	answerWithin = 20 * time.Second

	frontProxyUser = "front-proxy-client"
)

// Options chooses what runs. The zero value is etcd and kube-apiserver.
type Options struct {
	// Controllers are run by a kube-controller-manager; without any there is none.
	Controllers []string
	// EtcdFlags and APIServerFlags are added to the command lines.
	EtcdFlags, APIServerFlags []string
}

// Cluster is a running control plane.
type Cluster struct {
	Dir    string       // certificates, data, logs, kubeconfigs; removed by Stop
	Admin  string       // kubeconfig of a cluster administrator
	Config *rest.Config // the same, for clients in Go
	Kube   kubernetes.Interface
	Any    dynamic.Interface

	paths                    paths
	options                  Options
	pki                      *pki
	etcdPort, peerPort, port int
	etcd, apiserver          *Process
	controllers              *Process
	stewards                 []*Steward
}

// Start runs a cluster and returns when it is ready. On an error nothing is left running.
func Start(ctx context.Context, options Options) (c *Cluster, err error) {
	c = &Cluster{options: options}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
			c = nil
		}
	}()
	if c.paths, err = findPaths(); err != nil {
		return c, err
	}
	if c.Dir, err = os.MkdirTemp("", "steward-e2e-"); err != nil {
		return c, err
	}
	if c.pki, err = newPKI(c.Dir); err != nil {
		return c, err
	}
	for _, port := range []*int{&c.etcdPort, &c.peerPort, &c.port} {
		if *port, err = freePort(); err != nil {
			return c, err
		}
	}
	if err = c.writeAdmin(); err != nil {
		return c, err
	}
	if err = c.startEtcd(); err != nil {
		return c, err
	}
	if err = c.StartAPIServer(ctx); err != nil {
		return c, err
	}
	if err = c.waitFurnished(ctx); err != nil {
		return c, err
	}
	if len(options.Controllers) > 0 {
		err = c.startControllers(ctx)
	}
	return c, err
}

// Stop ends everything, in order, and removes the cluster's folder unless STEWARD_E2E_KEEP is set.
// kube-apiserver goes before etcd: without its store it would linger for minutes.
func (c *Cluster) Stop() error {
	var errs []error
	for _, s := range c.stewards {
		errs = append(errs, s.Stop())
	}
	for _, p := range []*Process{c.controllers, c.apiserver, c.etcd} {
		errs = append(errs, p.Stop(stopGrace))
	}
	if c.Dir != "" && os.Getenv("STEWARD_E2E_KEEP") == "" {
		errs = append(errs, os.RemoveAll(c.Dir))
	}
	return errors.Join(errs...)
}

// URL is where the kube-apiserver listens.
func (c *Cluster) URL() string { return "https://" + loopback(c.port) }

// APIServerPort is the port of the kube-apiserver; it stays the same over restarts.
func (c *Cluster) APIServerPort() int { return c.port }

// ClientCAFile holds the authority of client certificates.
func (c *Cluster) ClientCAFile() string { return c.pki.clientCA }

func (c *Cluster) startEtcd() (err error) {
	client, peer := "http://"+loopback(c.etcdPort), "http://"+loopback(c.peerPort)
	c.etcd, err = c.spawn("etcd", append([]string{
		"--name=e2e",
		"--data-dir=" + filepath.Join(c.Dir, "etcd"),
		"--listen-client-urls=" + client,
		"--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=e2e=" + peer,
		"--unsafe-no-fsync",
		"--log-level=warn",
	}, c.options.EtcdFlags...)...)
	return err
}

// SaveEtcd copies what etcd stores, which is away for a moment, into a folder.
func (c *Cluster) SaveEtcd(folder string) error {
	if err := c.etcd.Stop(stopGrace); err != nil {
		return err
	}
	err := os.CopyFS(folder, os.DirFS(filepath.Join(c.Dir, "etcd")))
	return errors.Join(err, c.startEtcd())
}

// RestoreEtcd puts back what SaveEtcd has copied, as an administrator does after a loss: the kube-apiserver restarts.
func (c *Cluster) RestoreEtcd(ctx context.Context, folder string) error {
	store := filepath.Join(c.Dir, "etcd")
	c.KillAPIServer()
	if err := errors.Join(c.etcd.Stop(stopGrace), os.RemoveAll(store)); err != nil {
		return err
	}
	if err := errors.Join(os.CopyFS(store, os.DirFS(folder)), c.startEtcd()); err != nil {
		return err
	}
	return c.StartAPIServer(ctx)
}

// CompactEtcd drops the history of everything: only the present states can be read from now on. What kube-apiserver
// holds in memory is not touched.
func (c *Cluster) CompactEtcd(ctx context.Context) error {
	const nothing = `{"key":"AA=="}`
	var now struct{ Header struct{ Revision string } }
	if err := c.etcdCall(ctx, "range", nothing, &now); err != nil {
		return err
	}
	return c.etcdCall(ctx, "compaction", fmt.Sprintf(`{"revision":%q,"physical":true}`, now.Header.Revision), &now)
}

// etcdCall is a call of etcd's KV service in its JSON form.
func (c *Cluster) etcdCall(ctx context.Context, method, body string, answer any) error {
	url := "http://" + loopback(c.etcdPort) + "/v3/kv/" + method
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("etcd: %s: %s: %s", method, response.Status, text)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// StartAPIServer starts the kube-apiserver, at first or after StopAPIServer or KillAPIServer, and waits until it is ready.
func (c *Cluster) StartAPIServer(ctx context.Context) (err error) {
	c.apiserver, err = c.spawn("kube-apiserver", append([]string{
		"--etcd-servers=http://" + loopback(c.etcdPort),
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		// From 1.37 on a loopback address may be no endpoint of the Service kubernetes, which nobody here calls.
		"--endpoint-reconciler-type=none",
		fmt.Sprintf("--secure-port=%d", c.port),
		"--tls-cert-file=" + c.pki.apiserver.Cert,
		"--tls-private-key-file=" + c.pki.apiserver.Key,
		"--client-ca-file=" + c.pki.clientCA,
		"--authorization-mode=RBAC",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.pki.serviceAccountKey,
		"--service-account-signing-key-file=" + c.pki.serviceAccountKey,
		// The aggregation layer: what a kube-apiserver shows to the servers behind it, and which headers it sends them.
		"--requestheader-client-ca-file=" + c.pki.frontCA,
		"--requestheader-allowed-names=" + frontProxyUser,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + c.pki.proxy.Cert,
		"--proxy-client-key-file=" + c.pki.proxy.Key,
	}, c.options.APIServerFlags...)...)
	if err != nil {
		return err
	}
	return waitReady(ctx, c.apiserver, c.URL(), c.Config)
}

// waitFurnished waits for the namespaces that a kube-apiserver makes by itself, after it is ready.
func (c *Cluster) waitFurnished(ctx context.Context) error {
	return retry(ctx, func() error {
		for _, name := range []string{"default", "kube-system", "kube-public", "kube-node-lease"} {
			if _, err := c.Kube.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// retry calls until there is no error, for as long as a start may take.
func retry(ctx context.Context, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// StopAPIServer ends the kube-apiserver in order.
func (c *Cluster) StopAPIServer() error { return c.apiserver.Stop(stopGrace) }

// KillAPIServer ends the kube-apiserver with kill -9.
func (c *Cluster) KillAPIServer() { c.apiserver.Kill() }

func (c *Cluster) startControllers(ctx context.Context) (err error) {
	port, err := freePort()
	if err != nil {
		return err
	}
	c.controllers, err = c.spawn("kube-controller-manager",
		"--kubeconfig="+c.Admin,
		"--controllers="+strings.Join(c.options.Controllers, ","),
		"--leader-elect=false",
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file="+c.pki.apiserver.Cert,
		"--tls-private-key-file="+c.pki.apiserver.Key,
		"--service-account-private-key-file="+c.pki.serviceAccountKey,
	)
	if err != nil {
		return err
	}
	return waitHealthy(ctx, c.controllers, "https://"+loopback(port)+"/healthz", c.Config)
}

// spawn starts a tool of the tools folder with a log file named after it.
func (c *Cluster) spawn(name string, args ...string) (*Process, error) {
	return startProcess(name, filepath.Join(c.Dir, name+".log"), filepath.Join(c.paths.tools, name), args...)
}

// DumpLogs writes the end of every process's log; for when a test has failed.
func (c *Cluster) DumpLogs(w io.Writer, lines int) {
	logs, _ := filepath.Glob(filepath.Join(c.Dir, "*.log"))
	for _, log := range logs {
		fmt.Fprintf(w, "---- end of %s\n%s\n", filepath.Base(log), tail(log, lines))
	}
}

func waitReady(ctx context.Context, p *Process, url string, config *rest.Config) error {
	return waitHealthy(ctx, p, url+"/readyz", config)
}

// waitHealthy waits until a GET of url is answered 200, the process ends, or the time is up.
func waitHealthy(ctx context.Context, p *Process, url string, config *rest.Config) error {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	client.Timeout = answerWithin
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	last := errors.New("not asked yet")
	for {
		if last = getOK(ctx, client, url); last == nil {
			return nil
		}
		select {
		case <-p.Exited():
			return p.failure()
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w; the end of its log:\n%s", p.Name, last, p.Tail(20))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func getOK(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", url, response.Status, body)
	}
	return err
}
