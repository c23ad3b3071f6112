package hostile

import (
	"context"
	"net/http"
	"sync"
	"testing"
)

// manyWatches is how many one user asks for, and mostWatches how many one gets.
const manyWatches, mostWatches = 6000, 5000

func init() {
	attacks["more watches than one user may have"] = func(t *testing.T) assault {
		greedy := newTenant(t, "greedy")
		return func(ctx context.Context) { greedy.openWatches(ctx) }
	}
}

// The others get theirs all the same.
func TestManyWatchesOfOneUser(t *testing.T) {
	greedy, modest := newTenant(t, "greedy"), newTenant(t, "other")
	besideTenant(t, func(ctx context.Context) {
		codes := greedy.openWatches(ctx)
		t.Logf("answers: %v", codes)
		if codes[http.StatusOK] > mostWatches {
			t.Errorf("%d watches of one user", codes[http.StatusOK])
		}
		if ctx.Err() == nil {
			if codes[http.StatusOK]+codes[http.StatusTooManyRequests] != manyWatches {
				t.Errorf("answers: %v", codes)
			}
			must(t, modest.watch(t).cut())
		}
	})
}

// openWatches opens more than one user may have, and counts the answers. They stay open, and nobody reads them, until the
// attack ends.
func (u *user) openWatches(ctx context.Context) map[int]int {
	var mutex sync.Mutex
	codes := map[int]int{}
	var work sync.WaitGroup
	next := make(chan struct{}, manyWatches)
	for range manyWatches {
		next <- struct{}{}
	}
	close(next)
	for range 50 {
		work.Go(func() {
			for range next {
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, steward.URL()+watchPath, nil)
				if err != nil {
					continue
				}
				response, err := u.client.Do(request)
				if err != nil {
					continue
				}
				context.AfterFunc(ctx, func() { response.Body.Close() })
				mutex.Lock()
				codes[response.StatusCode]++
				mutex.Unlock()
			}
		})
	}
	work.Wait()
	return codes
}
