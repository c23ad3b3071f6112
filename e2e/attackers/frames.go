package attackers

import (
	"context"
	"crypto/tls"
	"sync/atomic"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Frames is an HTTP/2 connection of which the attacker writes each frame.
type Frames struct {
	*http2.Framer
	Connection *tls.Conn
	// What the server has done: streams that it reset, and whether it hung up.
	Reset  atomic.Int32
	HungUp atomic.Bool
}

// DialFrames sends the settings; a certificate, if there is one, says who it is.
func (t *Target) DialFrames(ctx context.Context, certificates []tls.Certificate, settings ...http2.Setting) (*Frames, error) {
	connection, err := t.Dial(ctx, "h2", certificates...)
	if err != nil {
		return nil, err
	}
	f := &Frames{Framer: http2.NewFramer(connection, connection), Connection: connection}
	if _, err := connection.Write([]byte(http2.ClientPreface)); err != nil {
		return nil, err
	}
	return f, f.WriteSettings(settings...)
}

// Request begins a stream: its fields, and its end if nothing follows.
func (f *Frames) Request(id uint32, method, path string, end bool, fields ...hpack.HeaderField) error {
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

// Drain reads frames, and answers none, until the server hangs up.
func (f *Frames) Drain() {
	defer f.HungUp.Store(true)
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		if _, reset := frame.(*http2.RSTStreamFrame); reset {
			f.Reset.Add(1)
		}
	}
}
