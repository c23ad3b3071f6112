package hostile

import (
	"crypto/tls"
	"net"
	"strconv"
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
func dial(protocol string, certificates ...tls.Certificate) (*tls.Conn, error) {
	return tls.DialWithDialer(strangersDialer(), "tcp", address(), &tls.Config{
		InsecureSkipVerify: true,
		NextProtos:         []string{protocol},
		Certificates:       certificates,
	})
}

func address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(steward.Port)) }

// frames is an HTTP/2 connection of which the attacker writes each frame.
type frames struct {
	*http2.Framer
	connection *tls.Conn
}

func dialFrames(settings ...http2.Setting) (*frames, error) {
	connection, err := dial("h2")
	if err != nil {
		return nil, err
	}
	f := &frames{http2.NewFramer(connection, connection), connection}
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
	for {
		if _, err := f.ReadFrame(); err != nil {
			return
		}
	}
}

// closing ends connections with the test.
func closing(t *testing.T, connection net.Conn) net.Conn {
	t.Cleanup(func() { connection.Close() })
	return connection
}
