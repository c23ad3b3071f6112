package hostile

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"strconv"
	"testing"

	"steward.dev/e2e/attackers"
)

// strangersAddress is where strangers connect from: the user's own address, which is the worst for the user.
var strangersAddress = attackers.UsersAddress(0)

// target is the server; what an attack leaves open ends with the test.
func target(t *testing.T) *attackers.Target {
	return &attackers.Target{
		Address: address(), From: strangersAddress, Keep: func(c io.Closer) { t.Cleanup(func() { c.Close() }) },
	}
}

// dial is a stranger's connection, of which its user takes care.
func dial(ctx context.Context, protocol string, certificates ...tls.Certificate) (*tls.Conn, error) {
	return (&attackers.Target{Address: address(), From: strangersAddress}).Dial(ctx, protocol, certificates...)
}

func address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(steward.Port)) }
