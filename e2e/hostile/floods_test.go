package hostile

import (
	"context"
	"net"
	"testing"
	"time"
)

// Connections as fast as they come, which say nothing, or shake hands and say nothing. One source may have 2,000, so that
// these come from several; the well-behaved come from none of them. They fill the places that there are for others than front
// proxies, and no more: beyond, whoever comes new may be refused.
func TestConnectionFlood(t *testing.T) {
	beside(t, func(ctx context.Context) {
		for n := 0; ctx.Err() == nil && n < 2000; n++ {
			from := &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+n%4))}
			dialer := &net.Dialer{Timeout: time.Second, LocalAddr: from}
			if connection, err := dialer.DialContext(ctx, "tcp", address()); err == nil {
				closing(t, connection)
			}
			if n%10 == 0 {
				if connection, err := dial("h2"); err == nil {
					closing(t, connection)
				}
			}
		}
		<-ctx.Done()
	})
}
