package hostile

import (
	"context"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"steward.dev/e2e/check"
)

// roundTime is how long all attacks go on at once. Two rounds are within a minute.
const roundTime = 30 * time.Second

// All attacks at once do what none may do alone: nobody else is harmed, and of descriptors nothing stays. The first round fills what
// the server keeps, as caches up to their sizes. After the second, no more than that is resident, a tenth, and what chance keeps: the
// allocator gives back what was freed within a minute.
func TestAllAttacksAtOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(check.Seed(t, "STEWARD_SEED"), 0))
	others := newBystanders(t)
	// The kubelet comes from its node's address, and no attack from there: addresses take turns in handshakes.
	kubelet := others.clients[probes]
	kubelet.From = net.IPv4(127, 0, 0, 2)
	others.clients[probes] = kubelet
	young := usage(t)
	var filled resources
	t.Run("first", func(t *testing.T) {
		others.endure(t, roundTime, together(t, random))
		filled = returned(t, young, resources{rss: memoryLimit})
	})
	t.Run("again", func(t *testing.T) {
		others.endure(t, roundTime, together(t, random))
		returned(t, resources{filled.rss, young.descriptors}, resources{rss: strayMemory})
	})
}

// together prepares all attacks, to begin in the first half of a round.
func together(t *testing.T, random *rand.Rand) assault {
	type begun struct {
		assault
		after time.Duration
	}
	var all []begun
	for _, name := range slices.Sorted(maps.Keys(attacks)) {
		after := time.Duration(random.Int64N(int64(roundTime / 2)))
		t.Logf("after %4.1f s: %s", after.Seconds(), name)
		all = append(all, begun{attacks[name](t), after})
	}
	return func(ctx context.Context) {
		var work sync.WaitGroup
		for _, each := range all {
			work.Go(func() {
				select {
				case <-ctx.Done():
				case <-time.After(each.after):
					each.assault(ctx)
				}
			})
		}
		work.Wait()
	}
}
