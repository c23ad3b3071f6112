package hostile

import (
	"context"
	"fmt"
	"testing"
)

func init() { attacks["tokens that somebody has made up"] = madeUpTokens }

func TestMadeUpTokens(t *testing.T) { besideTenant(t, madeUpTokens(t)) }

// madeUpTokens are never the same: each is a TokenReview.
func madeUpTokens(t *testing.T) assault {
	client := strangers(t)
	return func(ctx context.Context) {
		flood(ctx, 500, func(n int) { ask(ctx, client, steward.URL()+listPath, fmt.Sprintf("made-up-%d", n)) })
	}
}
