package cluster

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// tokenLife is longer than any test; kube-apiserver accepts up to a year here.
const tokenLife = 24 * time.Hour

// User writes a kubeconfig for a user known by a client certificate, and returns its path. No two have files in common: client-go
// looks at a certificate's file every five minutes, and closes all connections, watches too, when another has taken its place.
func (c *Cluster) User(name string, groups ...string) (string, error) {
	file := fileName(name) + "-" + rand.String(8)
	pair, err := c.pki.client.Client(c.Dir, file, name, groups...)
	if err != nil {
		return "", err
	}
	return c.writeKubeconfig(file, clientcmdapi.AuthInfo{ClientCertificate: pair.Cert, ClientKey: pair.Key})
}

// ServiceAccount writes a kubeconfig for an existing ServiceAccount, with a token got by TokenRequest.
func (c *Cluster) ServiceAccount(ctx context.Context, namespace, name string) (string, error) {
	token, err := c.Token(ctx, namespace, name)
	if err != nil {
		return "", err
	}
	return c.writeKubeconfig("sa-"+namespace+"-"+name, clientcmdapi.AuthInfo{Token: token})
}

// Token asks for a token of a ServiceAccount, for the kube-apiserver's own audience.
func (c *Cluster) Token(ctx context.Context, namespace, name string) (string, error) {
	seconds := int64(tokenLife.Seconds())
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	answer, err := c.Kube.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, request, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return answer.Status.Token, nil
}

// ClientFor is a client configuration from a kubeconfig, without client-side throttling.
func ClientFor(kubeconfig string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	return config, nil
}

func (c *Cluster) writeAdmin() (err error) {
	auth := clientcmdapi.AuthInfo{ClientCertificate: c.pki.admin.Cert, ClientKey: c.pki.admin.Key}
	if c.Admin, err = c.writeKubeconfig("admin", auth); err != nil {
		return err
	}
	if c.Config, err = ClientFor(c.Admin); err != nil {
		return err
	}
	if c.Kube, err = kubernetes.NewForConfig(c.Config); err != nil {
		return err
	}
	c.Any, err = dynamic.NewForConfig(c.Config)
	return err
}

func (c *Cluster) writeKubeconfig(name string, auth clientcmdapi.AuthInfo) (string, error) {
	config := clientcmdapi.NewConfig()
	config.Clusters["e2e"] = &clientcmdapi.Cluster{Server: c.URL(), CertificateAuthority: c.pki.servingCA}
	config.AuthInfos[name] = &auth
	config.Contexts["e2e"] = &clientcmdapi.Context{Cluster: "e2e", AuthInfo: name}
	config.CurrentContext = "e2e"
	path := filepath.Join(c.Dir, fileName(name)+".kubeconfig")
	return path, clientcmd.WriteToFile(*config, path)
}

// ServingPair issues a serving certificate for the loopback address that the cluster's kubeconfigs trust, for what stands
// between a client and the kube-apiserver.
func (c *Cluster) ServingPair(name string) (Pair, error) {
	return c.pki.serving.Server(c.Dir, fileName(name), "localhost")
}

// At writes a kubeconfig like another one, for a server that listens elsewhere, and returns its path.
func (c *Cluster) At(kubeconfig, name, server string) (string, error) {
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		return "", err
	}
	for _, each := range config.Clusters {
		each.Server = server
	}
	path := filepath.Join(c.Dir, fileName(name)+".kubeconfig")
	return path, clientcmd.WriteToFile(*config, path)
}

func fileName(user string) string { return strings.NewReplacer(":", "-", "/", "-").Replace(user) }
