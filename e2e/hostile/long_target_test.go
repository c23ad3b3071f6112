package hostile

import (
	"context"
	"io"
	"strings"
	"testing"
)

// Targets of half a million parameters, each with a body that never comes.
func TestLongTarget(t *testing.T) {
	head := "GET /?" + strings.Repeat("a&", 1<<19) + " HTTP/1.1\r\nHost: h\r\nContent-Length: 3145728\r\n\r\n"
	beside(t, func(ctx context.Context) {
		for range 100 {
			if ctx.Err() != nil {
				return
			}
			if connection, err := dial("http/1.1"); err == nil {
				go io.WriteString(closing(t, connection), head)
			}
		}
		<-ctx.Done()
	})
}
