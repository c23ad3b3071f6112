// Package attackers has clients that do an API server no good: hostile looks at whether they harm others, and `./dev bench` measures how
// much slower others become.
package attackers

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Assault goes on until its context ends, or has done what harm it can. Connections that it opened may stay open for longer: to get rid
// of them is the server's business.
type Assault func(ctx context.Context)

// Target is the API server that is attacked.
type Target struct {
	Address string          // host:port
	From    net.IP          // where strangers connect from
	Keep    func(io.Closer) // takes what an attack leaves open, and closes it once all is over

	opened atomic.Int64
}

// Opened is how many connections Dial has opened.
func (t *Target) Opened() int64 { return t.opened.Load() }

// URL is where the server listens.
func (t *Target) URL() string { return "https://" + t.Address }

func (t *Target) dialer() *net.Dialer {
	return &net.Dialer{Timeout: 10 * time.Second, LocalAddr: &net.TCPAddr{IP: t.From}}
}

// Dial is a stranger's connection; a failure is what an attack may come to.
func (t *Target) Dial(ctx context.Context, protocol string, certificates ...tls.Certificate) (*tls.Conn, error) {
	dialer := &tls.Dialer{NetDialer: t.dialer(), Config: &tls.Config{
		InsecureSkipVerify: true,
		NextProtos:         []string{protocol},
		Certificates:       certificates,
	}}
	connection, err := dialer.DialContext(ctx, "tcp", t.Address)
	if err != nil {
		return nil, err
	}
	t.opened.Add(1)
	return connection.(*tls.Conn), nil
}

// Strangers are a client over HTTP/2, which its user closes.
func (t *Target) Strangers() *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		ForceAttemptHTTP2: true,
		DialContext:       t.dialer().DialContext,
		// Each answer ends a connection, so there are always some too many.
		IdleConnTimeout: time.Second,
	}}
}

// Ask returns the code of the answer, or 0 if there is none: any will do.
func Ask(ctx context.Context, client *http.Client, url, token string) int {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// Flood calls `once` from so many goroutines, with numbers that are never the same, until the attack ends.
func Flood(ctx context.Context, width int, once func(n int)) {
	var work sync.WaitGroup
	for first := range width {
		work.Go(func() {
			for n := first; ctx.Err() == nil; n += width {
				once(n)
			}
		})
	}
	work.Wait()
}
