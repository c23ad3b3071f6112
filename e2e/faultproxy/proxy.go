// Package faultproxy stands between one program and a kube-apiserver, writes down what goes by, and does to it what
// networks and busy servers do: requests that never arrive, answers that are lost, errors, silence, watches that lag.
//
// It speaks TLS to both sides, HTTP/1.1 and HTTP/2. Who the client is goes through in its bearer token: a client
// certificate would end here.
package faultproxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"
)

// answerWithin bounds what one request may take upstream; watches are not bounded.
const answerWithin = 60 * time.Second

// Options of a Proxy. Cert and Key are files of a serving certificate for 127.0.0.1.
type Options struct {
	Name      string // the client's, in the journal
	Upstream  string // https://host:port
	CAFile    string // of the upstream's certificate
	Cert, Key string
	Journal   *Journal
	// View changes what is asked for, before anything else looks at it; may be nil.
	View func(*url.URL)
	// Seen is called for every request before anything becomes of it; may be nil.
	Seen func(*Request)
}

// Proxy listens from Start to Stop.
type Proxy struct {
	// URL is where it listens.
	URL string

	options  Options
	upstream *url.URL
	client   *http.Transport
	server   *http.Server
	gate     gate

	mutex sync.Mutex
	rules []Rule
}

// Rule is what happens to requests. The first rule that wants a request has it, and no other.
type Rule struct {
	When func(*Request) bool
	Do   Fault
}

// Start listens on a free loopback port.
func Start(options Options) (*Proxy, error) {
	upstream, err := url.Parse(options.Upstream)
	if err != nil {
		return nil, err
	}
	authority, err := os.ReadFile(options.CAFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("%s holds no certificate", options.CAFile)
	}
	pair, err := tls.LoadX509KeyPair(options.Cert, options.Key)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		URL:      "https://" + listener.Addr().String(),
		options:  options,
		upstream: upstream,
		client: &http.Transport{
			TLSClientConfig:    &tls.Config{RootCAs: roots},
			ForceAttemptHTTP2:  true,
			DisableCompression: true,
		},
	}
	p.server = &http.Server{
		Handler:           p,
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{pair}},
		ErrorLog:          log.New(io.Discard, "", 0),
		ReadHeaderTimeout: answerWithin,
	}
	go func() { _ = p.server.ServeTLS(listener, "", "") }()
	return p, nil
}

// Stop ends all connections.
func (p *Proxy) Stop() error {
	p.gate.open()
	err := p.server.Close()
	p.client.CloseIdleConnections()
	return err
}

// Add puts a rule behind those there are.
func (p *Proxy) Add(rules ...Rule) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.rules = append(p.rules, rules...)
}

// HoldWatches has the events of all watches wait, of those that begin later too, until ReleaseWatches.
func (p *Proxy) HoldWatches()    { p.gate.close() }
func (p *Proxy) ReleaseWatches() { p.gate.open() }

func (p *Proxy) faultFor(request *Request) Fault {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, rule := range p.rules {
		if rule.When(request) {
			return rule.Do
		}
	}
	return nil
}

// ServeHTTP takes one request. A fault may panic with http.ErrAbortHandler: the connection ends without an answer.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if p.options.View != nil {
		p.options.View(r.URL)
	}
	x := &Exchange{proxy: p, w: w, r: r}
	x.Request = p.options.Journal.begin(&Request{
		Client: p.options.Name, Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Body: body, Began: time.Now(),
	})
	defer p.options.Journal.end(x.Request)
	if p.options.Seen != nil {
		p.options.Seen(x.Request)
	}
	if do := p.faultFor(x.Request); do != nil {
		do(x)
		return
	}
	x.Pass()
	x.Deliver()
}

// Exchange is one request and its answer.
type Exchange struct {
	Request *Request

	proxy  *Proxy
	w      http.ResponseWriter
	r      *http.Request
	answer *http.Response
	body   []byte
}

// Gone is closed when the client gives up.
func (x *Exchange) Gone() <-chan struct{} { return x.r.Context().Done() }

// Pass has the server carry out the request, whatever becomes of the client meanwhile, and reads its answer. A watch
// ends with its client.
func (x *Exchange) Pass() {
	ctx := x.r.Context()
	if !x.Request.IsWatch() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
		defer cancel()
	}
	target := *x.r.URL
	target.Scheme, target.Host = x.proxy.upstream.Scheme, x.proxy.upstream.Host
	out, err := http.NewRequestWithContext(ctx, x.r.Method, target.String(), bytes.NewReader(x.Request.Body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	out.Header = x.r.Header.Clone()
	// What is written down is to be readable.
	out.Header.Del("Accept-Encoding")
	x.proxy.options.Journal.note(x.Request, func(r *Request) { r.Sent = time.Now() })
	answer, err := x.proxy.client.RoundTrip(out)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	x.answer = answer
	if !x.Request.IsWatch() {
		x.body, err = io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	x.proxy.options.Journal.note(x.Request, func(r *Request) {
		r.Code, r.Answer, r.Answered = answer.StatusCode, x.body, time.Now()
	})
}

// Deliver gives the client the answer of Pass.
func (x *Exchange) Deliver() {
	for name, values := range x.answer.Header {
		x.w.Header()[name] = values
	}
	x.w.WriteHeader(x.answer.StatusCode)
	if x.Request.IsWatch() {
		x.stream()
		return
	}
	x.proxy.options.Journal.note(x.Request, func(r *Request) { r.Delivered = true })
	_, _ = x.w.Write(x.body)
}

// stream passes the events of a watch on, held up by the gate.
func (x *Exchange) stream() {
	defer x.answer.Body.Close()
	flush := func() {
		if flusher, ok := x.w.(http.Flusher); ok {
			flusher.Flush()
		}
	}
	flush()
	buffer := make([]byte, 64<<10)
	for {
		n, err := x.answer.Body.Read(buffer)
		if n > 0 {
			if !x.proxy.gate.wait(x.Gone()) {
				return
			}
			if _, failed := x.w.Write(buffer[:n]); failed != nil {
				return
			}
			flush()
		}
		if err != nil {
			return
		}
	}
}

// gate lets through while it is open, as it is at first.
type gate struct {
	mutex sync.Mutex
	shut  chan struct{} // closed when it opens; nil while it is open
}

func (g *gate) close() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.shut == nil {
		g.shut = make(chan struct{})
	}
}

func (g *gate) open() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.shut != nil {
		close(g.shut)
		g.shut = nil
	}
}

// wait returns false when `gone` came first.
func (g *gate) wait(gone <-chan struct{}) bool {
	g.mutex.Lock()
	shut := g.shut
	g.mutex.Unlock()
	if shut == nil {
		return true
	}
	select {
	case <-shut:
		return true
	case <-gone:
		return false
	}
}
