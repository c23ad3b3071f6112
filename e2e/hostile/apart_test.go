package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
)

// apartEnv makes this test binary a client or a server in a process of its own. Beside an attack's goroutines they would wait
// for these, which is none of the API server's doing.
const apartEnv = "STEWARD_HOSTILE_APART"

type part struct {
	Client *client `json:",omitempty"`
	Static *static `json:",omitempty"`
}

// client asks for the same paths again and again.
type client struct {
	Host, Token string
	TLS         rest.TLSClientConfig
	Paths       []string
	// Anew is over a new connection each time, from the address if one is set.
	Anew bool
	From net.IP
	// Count is how often; 0 is until standard input ends.
	Count int
	Pause time.Duration
}

// answered is one request's end.
type answered struct {
	Took  time.Duration
	Error string
}

// static is a server that nobody attacks: what its clients wait for is the machine's doing.
type static struct {
	Cert, Key, File string
}

// clientOf asks with a user's credentials.
func clientOf(u *user, paths ...string) client {
	return client{Host: u.config.Host, Token: u.config.BearerToken, TLS: u.config.TLSClientConfig, Paths: paths, Pause: 10 * time.Millisecond}
}

// meanwhile asks in a process apart, until the context ends if no count is set, and returns how long each request took.
func (c client) meanwhile(ctx context.Context, what string, failures *failures) []time.Duration {
	child, out, err := startApart(ctx, part{Client: &c})
	if err != nil {
		failures.add(what+", from a process apart", err)
		return nil
	}
	var took []time.Duration
	for {
		var one answered
		if err := out.Decode(&one); err != nil {
			if !errors.Is(err, io.EOF) {
				failures.add(what, err)
			}
			failures.add(what+", from a process apart", child.Wait())
			return took
		}
		if one.Error != "" {
			failures.add(what, errors.New(one.Error))
		}
		took = append(took, one.Took)
	}
}

// serveApart answers every request with the content, until the test ends.
func serveApart(t *testing.T, content string) client {
	t.Helper()
	authority, err := cluster.NewAuthority("static-ca")
	must(t, err)
	dir := t.TempDir()
	pair, err := authority.Server(dir, "static", "localhost")
	must(t, err)
	file := filepath.Join(dir, "content")
	must(t, os.WriteFile(file, []byte(content), 0o600))
	ctx, stop := context.WithCancel(context.Background())
	child, out, err := startApart(ctx, part{Static: &static{pair.Cert, pair.Key, file}})
	must(t, err)
	t.Cleanup(func() {
		stop()
		_ = child.Wait()
	})
	var host string
	must(t, out.Decode(&host))
	return client{Host: host, TLS: rest.TLSClientConfig{CAData: authority.PEM}, Paths: []string{"/"}, Pause: 10 * time.Millisecond}
}

// startApart starts the process, whose standard input ends with the context.
func startApart(ctx context.Context, p part) (*exec.Cmd, *json.Decoder, error) {
	told, err := json.Marshal(p)
	if err != nil {
		return nil, nil, err
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), apartEnv+"="+string(told))
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := child.Start(); err != nil {
		return nil, nil, err
	}
	context.AfterFunc(ctx, func() { in.Close() })
	return child, json.NewDecoder(out), nil
}

// playApart is the process apart.
func playApart(told string) error {
	var p part
	if err := json.Unmarshal([]byte(told), &p); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	out := json.NewEncoder(os.Stdout)
	if p.Static != nil {
		return p.Static.serve(ended, out)
	}
	return p.Client.ask(ended, out)
}

func (c *client) ask(ended <-chan struct{}, out *json.Encoder) error {
	connect, err := c.connect()
	if err != nil {
		return err
	}
	for n := 0; c.Count == 0 || n < c.Count; n++ {
		select {
		case <-ended:
			return nil
		case <-time.After(c.Pause):
		}
		path := c.Paths[n%len(c.Paths)]
		began := time.Now()
		_, err := get(connect, c.Host+path)
		one := answered{Took: time.Since(began)}
		if err != nil {
			one.Error = fmt.Sprintf("%s: %v", path, err)
		}
		if err := out.Encode(one); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) connect() (*http.Client, error) {
	config := &rest.Config{Host: c.Host, BearerToken: c.Token, TLSClientConfig: c.TLS, Timeout: check.Patience}
	if !c.Anew {
		return rest.HTTPClientFor(config)
	}
	shown, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{}
	if c.From != nil {
		dialer.LocalAddr = &net.TCPAddr{IP: c.From}
	}
	anew, err := rest.HTTPWrappersForConfig(config,
		&http.Transport{TLSClientConfig: shown, DisableKeepAlives: true, DialContext: dialer.DialContext})
	return &http.Client{Transport: anew, Timeout: check.Patience}, err
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
