package stage

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"steward.dev/e2e/bench/load"
)

func startBackend(t *testing.T, files map[string][]byte) *load.Server {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewUnstartedServer(newBackend(folder))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return &load.Server{Name: "backend", Host: server.URL, TLS: server.Client().Transport.(*http.Transport).TLSClientConfig}
}

func TestBackendServesFilesAndIsAvailable(t *testing.T) {
	content := bytes.Repeat([]byte("x"), 300_000)
	server := startBackend(t, map[string][]byte{"list.json": content, "list.json.gz": content[:100]})
	client := server.Connect()
	defer client.Close()
	if got, err := client.Drain(t.Context(), backendPath("list.json")); err != nil || got.Bytes != int64(len(content)) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := client.Drain(t.Context(), "/apis/"+backendGroup+"/"+backendVersion); err != nil {
		t.Errorf("the aggregator would not take it for available: %v", err)
	}
	packed, err := client.Open(t.Context(), backendPath("list.json.gz"))
	if err != nil || packed.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("a compressed file is served as %+v, %v", packed, err)
	}
	if _, err := client.Drain(t.Context(), backendPath("other.json")); err == nil {
		t.Error("a file that is not there was served")
	}
}

func TestBackendPushesToAllThatWait(t *testing.T) {
	line := append(bytes.Repeat([]byte("y"), 20_000), '\n')
	server := startBackend(t, map[string][]byte{"event.json": line})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	paths := make([]string, 50)
	for i := range paths {
		paths[i] = HoldPath
	}
	fan, err := server.OpenFan(ctx, paths, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer fan.Close()
	client := server.Connect()
	defer client.Close()
	for range 3 {
		round, err := fan.Expect(len(paths))
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Send(ctx, http.MethodPost, PushPath+"event.json", nil); err != nil {
			t.Fatal(err)
		}
		if got, err := round.Wait(ctx); err != nil || got.Bytes != int64(len(paths)*len(line)) {
			t.Errorf("pushed %d bytes, %v; want %d", got.Bytes, err, len(paths)*len(line))
		}
	}
}
