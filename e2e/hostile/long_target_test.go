package hostile

import (
	"context"
	"io"
	"strings"
	"testing"
)

func init() { attacks["targets of half a million parameters"] = longTargets }

func TestLongTarget(t *testing.T) { beside(t, longTargets(t)) }

// longTargets have half a million parameters, and each a body that never comes.
func longTargets(t *testing.T) assault {
	head := "GET /?" + strings.Repeat("a&", 1<<19) + " HTTP/1.1\r\nHost: h\r\nContent-Length: 3145728\r\n\r\n"
	at := target(t)
	return func(ctx context.Context) {
		for range 100 {
			if ctx.Err() != nil {
				return
			}
			if connection, err := at.Dial(ctx, "http/1.1"); err == nil {
				at.Keep(connection)
				go io.WriteString(connection, head)
			}
		}
	}
}
