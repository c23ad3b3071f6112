package attackers

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
)

// MadeUpTokens are never the same: each would be a TokenReview. It counts the answers by their codes.
func (t *Target) MadeUpTokens(client *http.Client, path string) func(context.Context) map[int]int {
	return func(ctx context.Context) map[int]int {
		var counts [600]atomic.Int32
		Flood(ctx, 500, func(n int) {
			if code := Ask(ctx, client, t.URL()+path, fmt.Sprintf("made-up-%d", n)); code < len(counts) {
				counts[code].Add(1)
			}
		})
		codes := map[int]int{}
		for code := range counts {
			if count := counts[code].Load(); code > 0 && count > 0 {
				codes[code] = int(count)
			}
		}
		return codes
	}
}

// OpenWatches counts the answers by their codes; a watch stays open, and nobody reads it, until the context ends.
func OpenWatches(ctx context.Context, client *http.Client, url string, count int) map[int]int {
	var mutex sync.Mutex
	codes := map[int]int{}
	next := make(chan struct{}, count)
	for range count {
		next <- struct{}{}
	}
	close(next)
	var work sync.WaitGroup
	for range 50 {
		work.Go(func() {
			for range next {
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
				if err != nil {
					continue
				}
				response, err := client.Do(request)
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
