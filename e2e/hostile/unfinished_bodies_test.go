package hostile

import (
	"context"
	"io"
	"testing"
)

func init() { attacks["bodies that do not end"] = unfinishedBodies }

func TestUnfinishedBodies(t *testing.T) { beside(t, unfinishedBodies(t)) }

// unfinishedBodies are as many as once filled the server's memory for requests, all but their last bytes; on one connection,
// and on one connection each.
func unfinishedBodies(t *testing.T) assault {
	const bodies = 86
	body := make([]byte, 3<<20)
	return func(ctx context.Context) {
		if f, err := dialFrames(ctx, nil); err == nil {
			closing(t, f.connection)
			go f.drain()
			go func() {
				for i := range uint32(bodies) {
					if f.request(2*i+1, "POST", "/livez", false) != nil {
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
			connection, err := dial(ctx, "http/1.1")
			if err != nil {
				continue
			}
			closing(t, connection)
			go func() {
				_, _ = io.WriteString(connection, "POST "+listPath+" HTTP/1.1\r\nHost: h\r\nContent-Length: 3145728\r\n\r\n")
				_, _ = connection.Write(body[:len(body)-1])
			}()
		}
	}
}
