package hostile

import (
	"context"
	"crypto/tls"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// strangersAddress is where strangers connect from: the user's own address, which is the worst for the user, unless a test has
// them come from elsewhere.
var strangersAddress = usersAddress(0)

func strangersDialer() *net.Dialer {
	return &net.Dialer{Timeout: 10 * time.Second, LocalAddr: &net.TCPAddr{IP: strangersAddress}}
}

// dial is a stranger's connection; a failure is what the attack may come to.
func dial(ctx context.Context, protocol string, certificates ...tls.Certificate) (*tls.Conn, error) {
	dialer := &tls.Dialer{NetDialer: strangersDialer(), Config: &tls.Config{
		InsecureSkipVerify: true,
		NextProtos:         []string{protocol},
		Certificates:       certificates,
	}}
	connection, err := dialer.DialContext(ctx, "tcp", address())
	if err != nil {
		return nil, err
	}
	return connection.(*tls.Conn), nil
}

func address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(steward.Port)) }

// frames is an HTTP/2 connection of which the attacker writes each frame.
type frames struct {
	*http2.Framer
	connection *tls.Conn
	// What the server has done: streams that it reset, and whether it hung up.
	reset  atomic.Int32
	hungUp atomic.Bool
}

// dialFrames sends the settings; a certificate, if there is one, says who it is.
func dialFrames(ctx context.Context, certificates []tls.Certificate, settings ...http2.Setting) (*frames, error) {
	connection, err := dial(ctx, "h2", certificates...)
	if err != nil {
		return nil, err
	}
	f := &frames{Framer: http2.NewFramer(connection, connection), connection: connection}
	if _, err := connection.Write([]byte(http2.ClientPreface)); err != nil {
		return nil, err
	}
	return f, f.WriteSettings(settings...)
}

// request begins a stream: its fields, and its end if nothing follows.
func (f *frames) request(id uint32, method, path string, end bool, fields ...hpack.HeaderField) error {
	var block blockBuffer
	encoder := hpack.NewEncoder(&block)
	encoder.SetMaxDynamicTableSize(0)
	for _, field := range append([]hpack.HeaderField{
		{Name: ":method", Value: method}, {Name: ":scheme", Value: "https"}, {Name: ":path", Value: path}, {Name: ":authority", Value: "h"},
	}, fields...) {
		_ = encoder.WriteField(field)
	}
	const most = 16 << 10
	first := block[:min(len(block), most)]
	rest := block[len(first):]
	err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: first, EndStream: end, EndHeaders: len(rest) == 0})
	for err == nil && len(rest) > 0 {
		next := rest[:min(len(rest), most)]
		rest = rest[len(next):]
		err = f.WriteContinuation(id, len(rest) == 0, next)
	}
	return err
}

type blockBuffer []byte

func (b *blockBuffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// drain reads frames, and answers none, until the server hangs up.
func (f *frames) drain() {
	defer f.hungUp.Store(true)
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		if _, reset := frame.(*http2.RSTStreamFrame); reset {
			f.reset.Add(1)
		}
	}
}

// closing ends connections with the test.
func closing(t *testing.T, connection net.Conn) net.Conn {
	t.Cleanup(func() { connection.Close() })
	return connection
}
