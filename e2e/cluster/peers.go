package cluster

import "path/filepath"

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
