package attackers

import (
	"context"
	"net"
	"time"
)

// Source is the address of the n-th connection of a flood.
type Source func(n int) net.IP

// UsersAddress is where users come from, which is the worst for them; the others are many.
func UsersAddress(int) net.IP    { return net.IPv4(127, 0, 0, 1) }
func FourAddresses(n int) net.IP { return net.IPv4(127, 0, 1, byte(1+n%4)) }
func ManyAddresses(n int) net.IP { return net.IPv4(127, 0, byte(1+n/200), byte(1+n%200)) }

// EverySource takes turns.
func EverySource(n int) net.IP { return []Source{UsersAddress, FourAddresses, ManyAddresses}[n%3](n) }

// Connections come as fast as they can, and say nothing, or shake hands and say nothing.
func (t *Target) Connections(count int, from Source) Assault {
	return func(ctx context.Context) {
		for n := 0; ctx.Err() == nil && n < count; n++ {
			dialer := &net.Dialer{Timeout: time.Second, LocalAddr: &net.TCPAddr{IP: from(n)}}
			if connection, err := dialer.DialContext(ctx, "tcp", t.Address); err == nil {
				t.opened.Add(1)
				t.Keep(connection)
			}
			if n%10 == 0 {
				if connection, err := t.Dial(ctx, "h2"); err == nil {
					t.Keep(connection)
				}
			}
		}
	}
}
