package hostile

import (
	"context"
	"fmt"
	"testing"
)

func init() { attacks["watches with ever new selectors"] = newSelectors }

func TestWatchesWithEverNewSelectors(t *testing.T) { beside(t, newSelectors(t)) }

// newSelectors are of watches: each start is a SubjectAccessReview of its own.
func newSelectors(t *testing.T) assault {
	fickle := newTenant(t, "fickle")
	return func(ctx context.Context) {
		flood(ctx, 600, func(n int) { fickle.ask(ctx, fmt.Sprintf("%s&labelSelector=n!%%3Dv%d", watchPath, n), nil) })
	}
}
