package hostile

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

// strangers' client, over HTTP/2.
func strangers(t *testing.T) *http.Client {
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		ForceAttemptHTTP2: true,
		DialContext:       strangersDialer().DialContext,
		// Each answer ends a connection, so there are always some too many.
		IdleConnTimeout: time.Second,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func init() { attacks["paths that nobody has asked for before"] = anonymousPaths }

func TestAnonymousPathFlood(t *testing.T) { besideTenant(t, anonymousPaths(t)) }

// anonymousPaths are never the same: each is a question of its own about what strangers may do.
func anonymousPaths(t *testing.T) assault {
	client := strangers(t)
	return func(ctx context.Context) {
		flood(ctx, 500, func(n int) { ask(ctx, client, fmt.Sprintf("%s/x%d", steward.URL(), n), "") })
	}
}

// ask ignores the answer: any that is one will do.
func ask(ctx context.Context, client *http.Client, url, token string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
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
