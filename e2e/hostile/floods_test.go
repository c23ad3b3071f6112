package hostile

import (
	"context"
	"sync"
	"testing"

	"steward.dev/e2e/attackers"
)

func init() {
	attacks["a flood of connections"] = func(t *testing.T) assault { return target(t).Connections(3000, attackers.EverySource) }
}

// Nobody who comes new and shows who it is is refused for a flood: not the kubelet, and not a user.
func TestConnectionFlood(t *testing.T) {
	for name, from := range map[string]attackers.Source{
		"FromTheUsersAddress": attackers.UsersAddress,
		"FromFourAddresses":   attackers.FourAddresses,
		"FromManyAddresses":   attackers.ManyAddresses,
	} {
		t.Run(name, func(t *testing.T) {
			flood := target(t).Connections(6000, from)
			config, err := steward.WithUser("newcomer", "system:masters")
			must(t, err)
			newcomer := clientOf(newUser(t, config), listPath)
			newcomer.Anew = true
			var failures failures
			beside(t, func(ctx context.Context) {
				var work sync.WaitGroup
				work.Go(func() {
					took := meanwhile(ctx, newcomer, "a list over a new connection", &failures)
					t.Logf("a list over a new connection p99 %s beside the attack (of %d)", p99(took), len(took))
				})
				flood(ctx)
				<-ctx.Done()
				work.Wait()
			})
			failures.report(t)
		})
	}
}
