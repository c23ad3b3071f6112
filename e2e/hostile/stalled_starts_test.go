package hostile

import (
	"context"
	"crypto/tls"
	"fmt"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"steward.dev/e2e/attackers"
)

func init() {
	attacks["watches and lists that are not taken"] = func(t *testing.T) assault {
		stalls := stalledStarts(t)
		return func(ctx context.Context) { stalls(ctx) }
	}
}

// All that such a client gets is that its streams are reset, so that others have their places.
func TestStalledStarts(t *testing.T) {
	stalls := stalledStarts(t)
	var connections []*attackers.Frames
	beside(t, func(ctx context.Context) { connections = stalls(ctx) })
	if len(connections) == 0 {
		t.Error("no connection came about")
	}
	for i, f := range connections {
		eventually(t, func() error {
			if f.HungUp.Load() || f.Reset.Load() == stalledStreams {
				return nil
			}
			return fmt.Errorf("connection %d: %d of %d streams were reset", i, f.Reset.Load(), stalledStreams)
		})
	}
}

const stalledStreams = 400

// stalledStarts are a user's watches and lists whose client takes nothing of what there is at the beginning: each holds a place
// for as long as it is let. It returns the connections to which all was sent.
func stalledStarts(t *testing.T) func(context.Context) []*attackers.Frames {
	greedy := newTenant(t, "stalling")
	certificate, err := tls.LoadX509KeyPair(greedy.config.CertFile, greedy.config.KeyFile)
	must(t, err)
	at := target(t)
	return func(ctx context.Context) (all []*attackers.Frames) {
		for ctx.Err() == nil {
			f, err := at.DialFrames(ctx, []tls.Certificate{certificate}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			if err != nil {
				continue
			}
			at.Keep(f.Connection)
			go f.Drain()
			if stall(f) == nil {
				all = append(all, f)
			}
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Second):
			}
		}
		return all
	}
}

func stall(f *attackers.Frames) error {
	for i := range uint32(stalledStreams) {
		path := watchPath + "&resourceVersion="
		if i%2 == 0 {
			path = listPath
		}
		if err := f.Request(2*i+1, "GET", path, true); err != nil {
			return err
		}
	}
	return nil
}
