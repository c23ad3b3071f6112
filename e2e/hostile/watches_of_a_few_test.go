package hostile

import (
	"context"
	"net/http"
	"sync"
	"testing"
)

// As many watches as three users may have are all that there may be: others get theirs all the same. None of them is read.
func TestManyWatchesOfAFewUsers(t *testing.T) {
	const each = 5200
	modest := newTenant(t, "another")
	greedy := []*user{newTenant(t, "greedy-1"), newTenant(t, "greedy-2"), newTenant(t, "greedy-3")}
	besideTenant(t, func(ctx context.Context) {
		var work sync.WaitGroup
		for _, u := range greedy {
			next := make(chan struct{}, each)
			for range each {
				next <- struct{}{}
			}
			close(next)
			for range 20 {
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
					}
				})
			}
		}
		work.Wait()
		if ctx.Err() == nil {
			must(t, modest.watch(t).cut())
		}
	})
}
