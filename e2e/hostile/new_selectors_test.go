package hostile

import (
	"context"
	"fmt"
	"net/http"
	"testing"
)

// Watches with selectors that nobody has used before: each start is a SubjectAccessReview of its own.
func TestWatchesWithEverNewSelectors(t *testing.T) {
	greedy := newTenant(t, "greedy")
	besideTenant(t, func(ctx context.Context) {
		flood(ctx, 600, func(n int) {
			url := fmt.Sprintf("%s%s&labelSelector=n!%%3Dv%d", steward.URL(), watchPath, n)
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
			if err != nil {
				return
			}
			if response, err := greedy.client.Do(request); err == nil {
				response.Body.Close()
			}
		})
	})
}
