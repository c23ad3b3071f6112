package hostile

import (
	"context"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

func init() { attacks["clients that take nothing"] = zeroWindows }

func TestZeroWindow(t *testing.T) { beside(t, zeroWindows(t)) }

// zeroWindows are clients that take nothing: in one flight as many requests as the server reads at a time, none of whose
// answers fits into their windows; and that again and again.
func zeroWindows(t *testing.T) assault {
	return func(ctx context.Context) {
		for ctx.Err() == nil {
			f, err := dialFrames(ctx, nil, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			if err != nil {
				continue
			}
			closing(t, f.connection)
			go f.drain()
			for i := range uint32(400) {
				if f.request(2*i+1, "GET", "/livez", true) != nil {
					break
				}
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
}
