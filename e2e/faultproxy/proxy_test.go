package faultproxy_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/faultproxy"
)

// upstream answers with what it was asked, and counts; watches get an event each time something comes from `events`.
type upstream struct {
	*httptest.Server
	asked  []string
	events chan string
}

func start(t *testing.T, view func(*url.URL)) (*upstream, *faultproxy.Proxy, *faultproxy.Journal, *http.Client) {
	t.Helper()
	up := &upstream{events: make(chan string)}
	up.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "1" {
			w.(http.Flusher).Flush()
			for {
				select {
				case event := <-up.events:
					fmt.Fprintln(w, event)
					w.(http.Flusher).Flush()
				case <-r.Context().Done():
					return
				}
			}
		}
		body, _ := io.ReadAll(r.Body)
		up.asked = append(up.asked, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization")+" "+string(body))
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, "done")
	}))
	up.EnableHTTP2 = true
	up.StartTLS()
	t.Cleanup(up.Close)
	dir := t.TempDir()
	authority := filepath.Join(dir, "upstream.crt")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: up.Certificate().Raw})
	if err := os.WriteFile(authority, text, 0o644); err != nil {
		t.Fatal(err)
	}
	ours, err := cluster.NewAuthority("proxy-ca")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := ours.Server(dir, "proxy", "localhost")
	if err != nil {
		t.Fatal(err)
	}
	journal := &faultproxy.Journal{}
	proxy, err := faultproxy.Start(faultproxy.Options{
		Name: "client", Upstream: up.URL, CAFile: authority, Cert: pair.Cert, Key: pair.Key, Journal: journal, View: view,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Stop() })
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ours.PEM)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	return up, proxy, journal, client
}

func patch(client *http.Client, target string) (int, string, error) {
	return patchWith(context.Background(), client, target)
}

func patchWith(ctx context.Context, client *http.Client, target string) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPatch, target, strings.NewReader("body"))
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Authorization", "Bearer me")
	answer, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

func TestPasses(t *testing.T) {
	up, proxy, journal, client := start(t, func(u *url.URL) { u.RawQuery = "b=2" })
	code, text, err := patch(client, proxy.URL+"/x?a=1")
	if err != nil || code != http.StatusCreated || text != "done" {
		t.Errorf("%d %q %v", code, text, err)
	}
	if want := "PATCH /x?b=2 Bearer me body"; len(up.asked) != 1 || up.asked[0] != want {
		t.Errorf("the server was asked %q", up.asked)
	}
	all := journal.All()
	if len(all) != 1 {
		t.Fatalf("journal: %v", all)
	}
	one := all[0]
	if one.Client != "client" || one.Path != "/x" || one.Query.Get("b") != "2" || string(one.Body) != "body" || !one.IsWrite() ||
		!one.Succeeded() || string(one.Answer) != "done" || !one.Delivered {
		t.Errorf("journal: %+v", one)
	}
}

func TestProxyFaults(t *testing.T) {
	for _, tc := range []struct {
		name    string
		do      faultproxy.Fault
		code    int // 0: no answer
		carried bool
	}{
		{"Fail", faultproxy.Fail(http.StatusConflict), http.StatusConflict, false},
		{"Lose", faultproxy.Lose(), 0, true},
		{"Drop", faultproxy.Drop(), 0, false},
		{"Hang", faultproxy.Hang(), 0, false},
		{"After", faultproxy.After(func() {}), http.StatusCreated, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			up, proxy, journal, client := start(t, nil)
			// It is silent for as long as the client waits: until the request has arrived.
			ctx, giveUp := context.WithCancel(t.Context())
			defer giveUp()
			proxy.Add(faultproxy.Rule{Do: tc.do, When: func(r *faultproxy.Request) bool {
				if tc.name == "Hang" && r.Path == "/x" {
					giveUp()
				}
				return r.Path == "/x"
			}})
			code, _, err := patchWith(ctx, client, proxy.URL+"/x")
			if code != tc.code || (err == nil) != (tc.code != 0) {
				t.Errorf("%d %v", code, err)
			}
			if (len(up.asked) == 1) != tc.carried || journal.All()[0].Succeeded() != tc.carried {
				t.Errorf("the server was asked %q; %+v", up.asked, journal.All()[0])
			}
			if code, _, err := patch(client, proxy.URL+"/y"); code != http.StatusCreated {
				t.Errorf("another request: %d %v", code, err)
			}
		})
	}
}

func TestWatchesWait(t *testing.T) {
	up, proxy, _, client := start(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, proxy.URL+"/x?watch=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := make(chan string)
	go func() {
		for scanner := bufio.NewScanner(answer.Body); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	up.events <- "first"
	if line := <-lines; line != "first" {
		t.Errorf("%q", line)
	}
	proxy.HoldWatches()
	up.events <- "second"
	// Other requests are not held up; when one has come through, the event would have.
	if code, _, err := patch(client, proxy.URL+"/y"); code != http.StatusCreated {
		t.Errorf("%d %v", code, err)
	}
	select {
	case line := <-lines:
		t.Errorf("%q came through", line)
	case <-time.After(50 * time.Millisecond):
	}
	proxy.ReleaseWatches()
	if line := <-lines; line != "second" {
		t.Errorf("%q", line)
	}
}
