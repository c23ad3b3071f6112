package hostile

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"steward.dev/e2e/attackers"
)

var ask = attackers.Ask

// strangers' client, over HTTP/2.
func strangers(t *testing.T) *http.Client {
	client := target(t).Strangers()
	t.Cleanup(client.CloseIdleConnections)
	return client
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
