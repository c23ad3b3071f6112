package hostile

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const remoteFields = 23_000

func init() { attacks["identities claimed in many fields"] = manyRemoteFields }

func TestRemoteFields(t *testing.T) { beside(t, manyRemoteFields(t)) }

// status is that of the first answer, or none if the connection ends without one.
func (f *frames) status() string {
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return ""
		}
		if answer, is := frame.(*http2.MetaHeadersFrame); is {
			return answer.PseudoValue("status")
		}
	}
}

// manyRemoteFields are requests that claim an identity in 23,000 fields, in both protocols.
func manyRemoteFields(t *testing.T) assault {
	var text strings.Builder
	var fields []hpack.HeaderField
	text.WriteString("GET /livez HTTP/1.1\r\nHost: h\r\n")
	for i := range remoteFields {
		fmt.Fprintf(&text, "X-Remote-%x:\r\n", i)
		fields = append(fields, hpack.HeaderField{Name: fmt.Sprintf("x-remote-%x", i)})
	}
	text.WriteString("\r\n")
	return func(ctx context.Context) {
		for ctx.Err() == nil {
			if connection, err := dial(ctx, "http/1.1"); err == nil {
				_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
				go func() { _, _ = io.WriteString(connection, text.String()) }()
				answer, err := io.ReadAll(connection)
				// Beside a flood of connections a stranger's may end without one.
				if err == nil && len(answer) > 0 && !strings.HasPrefix(string(answer), "HTTP/1.1 431 ") {
					t.Errorf("%.200q", answer)
				}
				connection.Close()
			}
			if f, err := dialFrames(ctx, nil); err == nil {
				_ = f.connection.SetDeadline(time.Now().Add(10 * time.Second))
				go func() { _ = f.request(1, "GET", "/livez", true, fields...) }()
				if status := f.status(); status != "" && status != "431" {
					t.Errorf("answered with %s", status)
				}
				f.connection.Close()
			}
		}
	}
}
