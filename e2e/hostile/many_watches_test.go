package hostile

import (
	"context"
	"net/http"
	"sync"
	"testing"
)

// More watches than one user may have: the others get theirs all the same.
func TestManyWatchesOfOneUser(t *testing.T) {
	const asked, most = 6000, 5000
	greedy, modest := newTenant(t, "greedy"), newTenant(t, "other")
	besideTenant(t, func(ctx context.Context) {
		var mutex sync.Mutex
		codes := map[int]int{}
		var work sync.WaitGroup
		next := make(chan struct{}, asked)
		for range asked {
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
					response, err := greedy.client.Do(request)
					if err != nil {
						continue
					}
					// It stays open, and nobody reads it, until the attack ends.
					context.AfterFunc(ctx, func() { response.Body.Close() })
					mutex.Lock()
					codes[response.StatusCode]++
					mutex.Unlock()
				}
			})
		}
		work.Wait()
		t.Logf("answers: %v", codes)
		if codes[http.StatusOK] > most {
			t.Errorf("%d watches of one user", codes[http.StatusOK])
		}
		if ctx.Err() == nil {
			if codes[http.StatusOK]+codes[http.StatusTooManyRequests] != asked {
				t.Errorf("answers: %v", codes)
			}
			must(t, modest.watch(t).cut())
		}
	})
}
