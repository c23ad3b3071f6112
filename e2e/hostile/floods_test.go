package hostile

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// Connections as fast as they come, twice as many as there may be, which say nothing, or shake hands and say nothing. Nobody
// who comes new and shows who it is is refused for them: not the kubelet, and not a user.
func TestConnectionFlood(t *testing.T) {
	for name, source := range map[string]func(n int) net.IP{
		"FromTheUsersAddress": func(int) net.IP { return net.IPv4(127, 0, 0, 1) },
		"FromFourAddresses":   func(n int) net.IP { return net.IPv4(127, 0, 1, byte(1+n%4)) },
		"FromManyAddresses":   func(n int) net.IP { return net.IPv4(127, 0, byte(1+n/200), byte(1+n%200)) },
	} {
		t.Run(name, func(t *testing.T) {
			beside(t, func(ctx context.Context) {
				var work sync.WaitGroup
				var failures failures
				work.Go(func() { comeAnew(ctx, t, &failures) })
				for n := 0; ctx.Err() == nil && n < 6000; n++ {
					dialer := &net.Dialer{Timeout: time.Second, LocalAddr: &net.TCPAddr{IP: source(n)}}
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
				work.Wait()
				for _, failure := range failures.all {
					t.Error(failure)
				}
			})
		})
	}
}

// comeAnew lists as a user does who has a new connection for each list.
func comeAnew(ctx context.Context, t *testing.T, failures *failures) {
	config, err := steward.WithUser("newcomer", "system:masters")
	failures.add("the user's configuration", err)
	shown, err := rest.TLSConfigFor(config)
	failures.add("the user's configuration", err)
	transport := &http.Transport{TLSClientConfig: shown, DisableKeepAlives: true}
	newcomer := &user{&http.Client{Transport: transport}, config}
	var took []time.Duration
	for ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
		once, err := newcomer.list()
		failures.add("a list over a new connection", err)
		took = append(took, once)
	}
	t.Logf("a list over a new connection p99 %s beside the attack (of %d)", p99(took), len(took))
}
