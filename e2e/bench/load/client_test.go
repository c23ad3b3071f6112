package load

import (
	"bytes"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestSeeker(t *testing.T) {
	const text = "aababcababd-end"
	for size := 1; size <= len(text); size++ {
		for _, row := range []struct {
			wanted string
			found  bool
		}{{"ababd", true}, {"d", true}, {"-end", true}, {"aab", true}, {"ababe", false}, {"endx", false}, {"", true}} {
			seek, found := seeker{wanted: []byte(row.wanted)}, false
			for rest := []byte(text); len(rest) > 0 && !found; rest = rest[min(size, len(rest)):] {
				found = seek.in(rest[:min(size, len(rest))])
			}
			if found != row.found {
				t.Errorf("%q in pieces of %d: found %v, want %v", row.wanted, size, found, row.found)
			}
		}
	}
}

// serve runs a server that answers as a static one does, and returns it as one to be measured.
func serve(t *testing.T, handler http.HandlerFunc) *Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return &Server{Name: "test", Host: server.URL, Token: "secret", TLS: server.Client().Transport.(*http.Transport).TLSClientConfig}
}

func TestClient(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789"), 100_000)
	copy(body[700_000:], "needle")
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.ProtoMajor != 2, r.Header.Get("Authorization") != "Bearer secret", strings.HasPrefix(r.UserAgent(), "curl"):
			w.WriteHeader(http.StatusTeapot)
		case r.URL.Path == "/list":
			_, _ = w.Write(body)
		default:
			http.NotFound(w, r)
		}
	})
	client := server.Connect()
	defer client.Close()
	if got, err := client.Drain(t.Context(), "/list"); err != nil || got.Bytes != int64(len(body)) || got.First == 0 || got.Total < got.First {
		t.Errorf("drained %+v, %v", got, err)
	}
	if got, err := client.Until(t.Context(), "/list", []byte("needle")); err != nil || got.Bytes < 700_006 {
		t.Errorf("stopped at the needle after %+v, %v", got, err)
	}
	if got, err := client.Until(t.Context(), "/list", []byte("haystack")); err == nil {
		t.Errorf("found what is not there after %+v", got)
	}
	if got, err := client.FirstByte(t.Context(), "/list"); err != nil || got == 0 {
		t.Errorf("the first byte came after %s, %v", got, err)
	}
	if _, err := client.Drain(t.Context(), "/nothing"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a 404 gives the error %v", err)
	}
	if client.Connections() != 1 {
		t.Errorf("%d connections", client.Connections())
	}
}

func TestClientDoesNotTrustAnybody(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	server.TLS = &tls.Config{}
	client := server.Connect()
	defer client.Close()
	if _, err := client.Drain(t.Context(), "/"); err == nil {
		t.Error("an unknown authority was trusted")
	}
}
