package hostile

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// source is the address of the n-th connection of a flood.
type source func(n int) net.IP

func usersAddress(int) net.IP    { return net.IPv4(127, 0, 0, 1) }
func fourAddresses(n int) net.IP { return net.IPv4(127, 0, 1, byte(1+n%4)) }
func manyAddresses(n int) net.IP { return net.IPv4(127, 0, byte(1+n/200), byte(1+n%200)) }

func init() {
	attacks["a flood of connections"] = func(t *testing.T) assault {
		return connections(t, 3000, func(n int) net.IP { return []source{usersAddress, fourAddresses, manyAddresses}[n%3](n) })
	}
}

// Nobody who comes new and shows who it is is refused for a flood: not the kubelet, and not a user.
func TestConnectionFlood(t *testing.T) {
	for name, from := range map[string]source{
		"FromTheUsersAddress": usersAddress,
		"FromFourAddresses":   fourAddresses,
		"FromManyAddresses":   manyAddresses,
	} {
		t.Run(name, func(t *testing.T) {
			flood := connections(t, 6000, from)
			config, err := steward.WithUser("newcomer", "system:masters")
			must(t, err)
			newcomer := clientOf(newUser(t, config), listPath)
			newcomer.Anew = true
			var failures failures
			beside(t, func(ctx context.Context) {
				var work sync.WaitGroup
				work.Go(func() {
					took := newcomer.meanwhile(ctx, "a list over a new connection", &failures)
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

// connections come as fast as they can (there may be 3,000), and say nothing, or shake hands and say nothing.
func connections(t *testing.T, count int, from source) assault {
	return func(ctx context.Context) {
		for n := 0; ctx.Err() == nil && n < count; n++ {
			dialer := &net.Dialer{Timeout: time.Second, LocalAddr: &net.TCPAddr{IP: from(n)}}
			if connection, err := dialer.DialContext(ctx, "tcp", address()); err == nil {
				closing(t, connection)
			}
			if n%10 == 0 {
				if connection, err := dial(ctx, "h2"); err == nil {
					closing(t, connection)
				}
			}
		}
	}
}
