package apart

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"

	"steward.dev/e2e/cluster"
)

// static is a server that nobody attacks: what its clients wait for is the machine's doing.
type static struct {
	Cert, Key, File string
}

// Serve answers every request with the content, until the context ends and stop is called. It returns its client; dir is for certificates.
func Serve(ctx context.Context, dir, content string) (client Client, pid int, stop func() error, err error) {
	authority, err := cluster.NewAuthority("static-ca")
	if err != nil {
		return client, 0, nil, err
	}
	pair, err := authority.Server(dir, "static-apart", "localhost")
	if err != nil {
		return client, 0, nil, err
	}
	file := filepath.Join(dir, "static-apart-content")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		return client, 0, nil, err
	}
	ctx, end := context.WithCancel(ctx)
	child, out, err := start(ctx, part{Static: &static{pair.Cert, pair.Key, file}})
	if err != nil {
		end()
		return client, 0, nil, err
	}
	stop = func() error {
		end()
		return child.Wait()
	}
	var host string
	if err := out.Decode(&host); err != nil {
		_ = stop()
		return client, 0, nil, err
	}
	client = Client{Host: host, TLS: rest.TLSClientConfig{CAData: authority.PEM}, Paths: []string{"/"}, Pause: 10 * time.Millisecond}
	return client, child.Process.Pid, stop, nil
}

func (s *static) serve(ended <-chan struct{}, out *json.Encoder) error {
	content, err := os.ReadFile(s.File)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(content)
	})}
	failed := make(chan error, 1)
	go func() { failed <- server.ServeTLS(listener, s.Cert, s.Key) }()
	if err := out.Encode("https://" + listener.Addr().String()); err != nil {
		return err
	}
	select {
	case <-ended:
		return server.Close()
	case err := <-failed:
		return err
	}
}
