package cluster

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/rest"
)

// Namespace, account and service of the deploy/base manifests.
const (
	stewardNamespace = "steward-system"
	stewardName      = "steward-apiserver"
)

// Steward is one API server process, the binary under test. It can be started again after Stop or Kill, on the same
// port and with the same certificates.
type Steward struct {
	*Process
	Port       int
	Kubeconfig string // what it runs with; set by Deploy
	Program    string // the binary under test, unless another one is set before Start

	cluster *Cluster
	ca      *Authority
	serving Pair
	name    string
}

// NewSteward chooses a port and issues serving certificates. Nothing runs yet: what is deployed into the cluster
// needs both, and the process needs what is deployed.
func (c *Cluster) NewSteward(name string) (s *Steward, err error) {
	s = &Steward{cluster: c, name: name, Program: c.paths.steward}
	if _, err = os.Stat(s.Program); err != nil {
		return nil, fmt.Errorf("no steward binary (build it, or point STEWARD_BIN at one): %w", err)
	}
	if s.Port, err = freePort(); err != nil {
		return nil, err
	}
	if s.ca, err = NewAuthority("steward-ca"); err != nil {
		return nil, err
	}
	// The aggregator verifies <service>.<namespace>.svc.
	s.serving, err = s.ca.Server(c.Dir, name, "localhost", stewardName+"."+stewardNamespace+".svc")
	c.stewards = append(c.stewards, s)
	return s, err
}

// Start runs the API server and returns at once.
func (s *Steward) Start(flags ...string) (err error) {
	c := s.cluster
	s.Process, err = startProcess(s.name, filepath.Join(c.Dir, s.name+".log"), s.Program, append([]string{
		"apiserver",
		"--kubeconfig=" + s.Kubeconfig,
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(s.Port),
		"--tls-cert-file=" + s.serving.Cert,
		"--tls-private-key-file=" + s.serving.Key,
	}, flags...)...)
	return err
}

// WaitReady waits until /readyz is ok.
func (s *Steward) WaitReady(ctx context.Context) error {
	return waitReady(ctx, s.Process, s.URL(), s.Anonymous())
}

// URL is where this API server listens, without the aggregator.
func (s *Steward) URL() string { return "https://" + loopback(s.Port) }

// Stop ends the process in order; it is no error if it does not run.
func (s *Steward) Stop() error { return s.Process.Stop(stopGrace) }

// Anonymous is a client for direct requests that trusts the serving certificate and shows no credentials.
func (s *Steward) Anonymous() *rest.Config {
	return &rest.Config{Host: s.URL(), TLSClientConfig: rest.TLSClientConfig{CAData: s.ca.PEM}, QPS: -1}
}

// WithToken is a client for direct requests with a bearer token.
func (s *Steward) WithToken(token string) *rest.Config {
	config := s.Anonymous()
	config.BearerToken = token
	return config
}

// WithUser is a client for direct requests with a client certificate of the cluster's own authority.
func (s *Steward) WithUser(user string, groups ...string) (*rest.Config, error) {
	return s.withCertificate(s.cluster.pki.client, user, groups...)
}

// WithFrontProxy is a client that shows a certificate of the front proxy's authority with any common name, and claims
// headers as the aggregator would send them.
func (s *Steward) WithFrontProxy(commonName string, headers http.Header) (*rest.Config, error) {
	config, err := s.withCertificate(s.cluster.pki.frontProxy, commonName)
	if err != nil {
		return nil, err
	}
	return claiming(config, headers), nil
}

// WithCertificate is a client with a certificate of any authority, claiming headers as an impostor would.
func (s *Steward) WithCertificate(ca *Authority, user string, headers http.Header) (*rest.Config, error) {
	config, err := s.withCertificate(ca, user)
	if err != nil {
		return nil, err
	}
	return claiming(config, headers), nil
}

func (s *Steward) withCertificate(ca *Authority, user string, groups ...string) (*rest.Config, error) {
	// A file name of its own: the same user may come with other groups, or from another authority.
	pair, err := ca.Client(s.cluster.Dir, "direct-"+rand.String(8), user, groups...)
	if err != nil {
		return nil, err
	}
	config := s.Anonymous()
	config.CertFile, config.KeyFile = pair.Cert, pair.Key
	return config, nil
}

// claiming adds headers to every request.
func claiming(config *rest.Config, headers http.Header) *rest.Config {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			request = request.Clone(request.Context())
			for name, values := range headers {
				request.Header[http.CanonicalHeaderKey(name)] = values
			}
			return next.RoundTrip(request)
		})
	})
	return config
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
