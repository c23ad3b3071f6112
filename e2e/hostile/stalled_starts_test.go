package hostile

import (
	"context"
	"crypto/tls"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// A user's watches and lists whose clients take nothing of what there is at the beginning: each holds a place for as long
// as it is let.
func TestStalledStarts(t *testing.T) {
	greedy := newTenant(t, "stalling")
	besideTenant(t, func(ctx context.Context) {
		for ctx.Err() == nil {
			f, err := greedy.dialFrames(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			if err != nil {
				continue
			}
			closing(t, f.connection)
			go f.drain()
			for i := range uint32(400) {
				path := watchPath + "&resourceVersion="
				if i%2 == 0 {
					path = listPath
				}
				if f.request(2*i+1, "GET", path, true) != nil {
					break
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Second):
			}
		}
	})
}

// dialFrames is a connection of the user's, of which each frame is written here.
func (u *user) dialFrames(settings ...http2.Setting) (*frames, error) {
	certificate, err := tls.LoadX509KeyPair(u.config.CertFile, u.config.KeyFile)
	if err != nil {
		return nil, err
	}
	connection, err := dial("h2", certificate)
	if err != nil {
		return nil, err
	}
	f := &frames{http2.NewFramer(connection, connection), connection}
	if _, err := connection.Write([]byte(http2.ClientPreface)); err != nil {
		return nil, err
	}
	return f, f.WriteSettings(settings...)
}
