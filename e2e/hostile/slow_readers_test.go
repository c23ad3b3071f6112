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

// slowReaders ask for much, one request behind the other, and read a byte a second.
func slowReaders(*testing.T) assault {
	requests := strings.Repeat("GET /readyz?verbose HTTP/1.1\r\nHost: h\r\n\r\n", 20_000)
	return func(ctx context.Context) {
		for range 50 {
			connection, err := dial("http/1.1")
			if err != nil {
				continue
			}
			_ = connection.NetConn().(*net.TCPConn).SetReadBuffer(4 << 10)
			go func() {
				defer connection.Close()
				go io.WriteString(connection, requests)
				one := make([]byte, 1)
				for ctx.Err() == nil {
					if _, err := connection.Read(one); err != nil {
						return
					}
					time.Sleep(time.Second)
				}
			}()
		}
	}
}
