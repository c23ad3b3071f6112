package hostile

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"testing"
)

// strangers' client, over HTTP/2.
func strangers(t *testing.T) *http.Client {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Paths that nobody has asked for before: each is a question of its own about what strangers may do.
func TestAnonymousPathFlood(t *testing.T) {
	client := strangers(t)
	besideTenant(t, func(ctx context.Context) {
		flood(ctx, 500, func(n int) { ask(ctx, client, fmt.Sprintf("/x%d", n), "") })
	})
}

// ask ignores the answer: any that is one will do.
func ask(ctx context.Context, client *http.Client, path, token string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, steward.URL()+path, nil)
	if err != nil {
		return
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if response, err := client.Do(request); err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}
