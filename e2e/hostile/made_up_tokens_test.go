package hostile

import (
	"context"
	"fmt"
	"testing"
)

// Tokens that somebody has made up: each is a TokenReview.
func TestMadeUpTokens(t *testing.T) {
	client := strangers(t)
	besideTenant(t, func(ctx context.Context) {
		flood(ctx, 500, func(n int) { ask(ctx, client, listPath, fmt.Sprintf("made-up-%d", n)) })
	})
}
