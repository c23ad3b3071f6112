package stage

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"k8s.io/client-go/rest"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/cluster"
)

// stopGrace is how long a program may take to end after SIGTERM.
const stopGrace = 20 * time.Second

// sslConfig makes nghttpd, which prefers AES-256 and has no flag for it, use the cipher that all others use.
const sslConfig = `openssl_conf = all
[all]
ssl_conf = ssl
[ssl]
system_default = cipher
[cipher]
Ciphersuites = TLS_AES_128_GCM_SHA256
`

// Static is nghttpd: files over TLS and HTTP/2, by as many threads as there are processors.
type Static struct {
	load.Server
	folder  string
	process *cluster.Process
}

// Secrets are the certificates of the servers that the bench itself runs.
type Secrets struct {
	Authority *cluster.Authority
	Pair      cluster.Pair
	Trust     *tls.Config
}

// NewSecrets issues a serving certificate for the names and the loopback address.
func NewSecrets(dir string, names ...string) (*Secrets, error) {
	authority, err := cluster.NewAuthority("bench-ca")
	if err != nil {
		return nil, err
	}
	pair, err := authority.Server(dir, "bench", names...)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.PEM)
	return &Secrets{Authority: authority, Pair: pair, Trust: &tls.Config{RootCAs: roots}}, nil
}

// StartStatic starts nghttpd on an empty folder below dir.
func StartStatic(dir string, secrets *Secrets, workers int) (*Static, error) {
	port, err := cluster.FreePort()
	if err != nil {
		return nil, err
	}
	s := &Static{folder: filepath.Join(dir, "static")}
	s.Name, s.TLS, s.Host = "nghttpd", secrets.Trust, "https://127.0.0.1:"+strconv.Itoa(port)
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "openssl.cnf")
	if err := os.WriteFile(config, []byte(sslConfig), 0o644); err != nil {
		return nil, err
	}
	s.process, err = cluster.Spawn(dir, "nghttpd", "/usr/bin/env", "OPENSSL_CONF="+config, "nghttpd",
		"--address=127.0.0.1", "--workers="+strconv.Itoa(workers), "--max-concurrent-streams=1000",
		"--htdocs="+s.folder, strconv.Itoa(port), secrets.Pair.Key, secrets.Pair.Cert)
	if err != nil {
		return nil, err
	}
	s.PIDs = []int{s.process.Pid()}
	return s, waitAnswers(s.process, &s.Server)
}

// Put makes a file, and returns its path on the server.
func (s *Static) Put(name string, write func(io.Writer) error) (string, error) {
	file, err := os.Create(filepath.Join(s.folder, name))
	if err != nil {
		return "", err
	}
	if err := write(file); err != nil {
		file.Close()
		return "", err
	}
	return "/" + name, file.Close()
}

// PutBytes is Put of what is at hand.
func (s *Static) PutBytes(name string, content []byte) (string, error) {
	return s.Put(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Drop removes a file that is not needed any more.
func (s *Static) Drop(path string) error {
	return os.Remove(filepath.Join(s.folder, filepath.Base(path)))
}

// Stop ends the server.
func (s *Static) Stop() error {
	if s == nil {
		return nil
	}
	return s.process.Stop(stopGrace)
}

// waitAnswers waits until a server that was just started takes connections.
func waitAnswers(process *cluster.Process, server *load.Server) error {
	limit := time.Now().Add(10 * time.Second)
	for {
		conn, err := tls.Dial("tcp", server.Host[len("https://"):], server.TLS)
		if err == nil {
			return conn.Close()
		}
		if !process.Running() || time.Now().After(limit) {
			return fmt.Errorf("%s does not answer: %w; the end of its log:\n%s", server.Name, err, process.Tail(10))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// serverOf is a server as a Kubernetes client knows it.
func serverOf(name string, config *rest.Config, token string, pids ...int) (load.Server, error) {
	trust, err := rest.TLSConfigFor(config)
	if err == nil && trust == nil {
		err = fmt.Errorf("%s is not served over TLS", config.Host)
	}
	return load.Server{Name: name, Host: config.Host, TLS: trust, Token: token, PIDs: pids}, err
}
