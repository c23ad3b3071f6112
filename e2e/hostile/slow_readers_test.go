package hostile

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func init() { attacks["clients that read slowly"] = slowReaders }

func TestSlowReaders(t *testing.T) { beside(t, slowReaders(t)) }

// slowReaders ask for much, one request behind the other, and read a byte a second for as long as the test lasts: there are more
// of them than connections may stay behind, so the server has to hang up.
func slowReaders(t *testing.T) assault {
	requests := strings.Repeat("GET /readyz?verbose HTTP/1.1\r\nHost: h\r\n\r\n", 20_000)
	return func(ctx context.Context) {
		for range 3 * keptConnections {
			if ctx.Err() != nil {
				return
			}
			connection, err := dial(ctx, "http/1.1")
			if err != nil {
				continue
			}
			_ = connection.NetConn().(*net.TCPConn).SetReadBuffer(4 << 10)
			closing(t, connection)
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
