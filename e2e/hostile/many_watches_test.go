package hostile

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"steward.dev/e2e/attackers"
	"steward.dev/e2e/check"
)

const (
	// mostWatches is how many one user gets.
	mostWatches = 5000
	moreWatches = 6000
)

func init() {
	attacks["more watches than one user may have"] = func(t *testing.T) assault { return manyWatches(t, moreWatches, "greedy") }
	// As many as three users may have are all that there may be.
	attacks["all watches that there may be"] = func(t *testing.T) assault {
		return manyWatches(t, mostWatches, "greedy-1", "greedy-2", "greedy-3")
	}
}

func TestManyWatches(t *testing.T) {
	t.Run("of one user", func(t *testing.T) {
		holdWatches(t, moreWatches, "greedy")
		beside(t, manyWatches(t, moreWatches, "greedy"))
	})
	t.Run("of a few users", func(t *testing.T) {
		few := []string{"greedy-1", "greedy-2", "greedy-3"}
		holdWatches(t, mostWatches, few...)
		beside(t, manyWatches(t, mostWatches, few...))
	})
}

// manyWatches are of some users, so many of each. They stay open, and nobody reads them, until the attack ends.
func manyWatches(t *testing.T, each int, names ...string) assault {
	var greedy []*user
	for _, name := range names {
		greedy = append(greedy, newTenant(t, name))
	}
	return func(ctx context.Context) {
		var work sync.WaitGroup
		for _, u := range greedy {
			work.Go(func() { u.openWatches(ctx, each) })
		}
		work.Wait()
	}
}

// holdWatches checks that they are no more than one user may have, and that others get theirs all the same.
func holdWatches(t *testing.T, each int, names ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), check.Patience)
	defer stop()
	for _, name := range names {
		codes := newTenant(t, name).openWatches(ctx, each)
		t.Logf("%s: %v", name, codes)
		if codes[http.StatusOK] > mostWatches {
			t.Errorf("%s has %d watches", name, codes[http.StatusOK])
		}
		if each > mostWatches && codes[http.StatusTooManyRequests] != each-codes[http.StatusOK] {
			t.Errorf("%s was answered %v", name, codes)
		}
	}
	modest := newTenant(t, fmt.Sprintf("other-than-%s", names[0])).watch(t)
	if modest.hasEnded() {
		t.Errorf("another user's watch: %v", modest.err)
	}
}

// openWatches counts the answers by their codes; a watch ends with the context.
func (u *user) openWatches(ctx context.Context, count int) map[int]int {
	return attackers.OpenWatches(ctx, u.client, steward.URL()+watchPath, count)
}
