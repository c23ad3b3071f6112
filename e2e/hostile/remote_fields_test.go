package hostile

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"steward.dev/e2e/attackers"
)

const remoteFields = 23_000

func init() {
	// Where connections are at their limit, a stranger's is answered with that.
	attacks["identities claimed in many fields"] = func(t *testing.T) assault { return manyRemoteFields(t, "431", "503") }
}

func TestRemoteFields(t *testing.T) { beside(t, manyRemoteFields(t, "431")) }

// statusOf is that of the first answer, or none if the connection ends without one.
func statusOf(f *attackers.Frames) string {
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

// manyRemoteFields are requests that claim an identity in 23,000 fields, in both protocols, and get one of the codes, or none:
// beside a flood of connections a stranger's may end without.
func manyRemoteFields(t *testing.T, codes ...string) assault {
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
				if err == nil && len(answer) > 0 {
					code, _, _ := strings.Cut(strings.TrimPrefix(string(answer), "HTTP/1.1 "), " ")
					if !slices.Contains(codes, code) {
						t.Errorf("%.200q", answer)
					}
				}
				connection.Close()
			}
			if f, err := target(t).DialFrames(ctx, nil); err == nil {
				_ = f.Connection.SetDeadline(time.Now().Add(10 * time.Second))
				go func() { _ = f.Request(1, "GET", "/livez", true, fields...) }()
				if status := statusOf(f); status != "" && !slices.Contains(codes, status) {
					t.Errorf("answered with %s", status)
				}
				f.Connection.Close()
			}
		}
	}
}
