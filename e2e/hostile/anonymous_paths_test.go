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

func TestAnonymousPathFlood(t *testing.T) { beside(t, anonymousPaths(t)) }

// anonymousPaths are never the same: each is a question of its own about what strangers may do.
func anonymousPaths(t *testing.T) assault {
	client := strangers(t)
	return func(ctx context.Context) {
		flood(ctx, 500, func(n int) { _ = ask(ctx, client, fmt.Sprintf("%s/x%d", steward.URL(), n), "") })
	}
}

// ask returns the code of the answer, or 0 if there is none: any will do.
func ask(ctx context.Context, client *http.Client, url, token string) int {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}
