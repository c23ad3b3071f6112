package cluster

import (
	"os"
	"path/filepath"
)

// APIServer is the kube-apiserver's process, and Etcd its store's. Both change when they are started again.
func (c *Cluster) APIServer() *Process { return c.apiserver }
func (c *Cluster) Etcd() *Process      { return c.etcd }

// ServingCAFile holds the authority of the kube-apiserver's certificate.
func (c *Cluster) ServingCAFile() string { return c.pki.servingCA }

// Beside chooses a port and issues serving certificates for one more API server that serves this cluster under the
// rights of another, which keeps being the registered one.
func (s *Steward) Beside(name string) (*Steward, error) {
	beside, err := s.cluster.NewSteward(name)
	if err != nil {
		return nil, err
	}
	beside.Kubeconfig = s.Kubeconfig
	return beside, nil
}

// Spawn starts a program that is no part of a cluster; its log is NAME.log in the folder. It dies with this program.
func Spawn(dir, name, bin string, args ...string) (*Process, error) {
	return startProcess(name, filepath.Join(dir, name+".log"), bin, args...)
}

// FreePort returns a loopback port that nothing listens on and that was not given out before.
func FreePort() (int, error) { return freePort() }

// RotateServing replaces a Steward's serving certificate in its place, by a new one of the same authority.
func (s *Steward) RotateServing() error {
	_, err := s.ca.Server(s.cluster.Dir, s.name, "localhost", stewardName+"."+stewardNamespace+".svc")
	return err
}

// FrontProxyRotation replaces the certificates by which the kube-apiserver is known to servers behind it, in the order in
// which an administrator does. The kube-apiserver takes each step up by itself.
type FrontProxyRotation struct {
	cluster *Cluster
	old     *Authority
}

// RotateFrontProxy makes a new authority and lets both be trusted: the first step.
func (c *Cluster) RotateFrontProxy() (*FrontProxyRotation, error) {
	r := &FrontProxyRotation{cluster: c, old: c.pki.frontProxy}
	next, err := newAuthority("front-proxy-ca-2", rsaKey)
	if err != nil {
		return nil, err
	}
	c.pki.frontProxy = next
	return r, os.WriteFile(c.pki.frontCA, append(append([]byte{}, r.old.PEM...), next.PEM...), 0o644)
}

// ShowNew has the kube-apiserver show a certificate of the new authority: the second step.
func (r *FrontProxyRotation) ShowNew() error {
	_, err := r.cluster.pki.frontProxy.Client(r.cluster.Dir, "front-proxy", frontProxyUser)
	return err
}

// Old is the authority before.
func (r *FrontProxyRotation) Old() *Authority { return r.old }

// FrontProxyAuthority signs what the kube-apiserver shows, or will show once a rotation is over.
func (c *Cluster) FrontProxyAuthority() *Authority { return c.pki.frontProxy }
