package load

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Media types that are asked for.
const (
	JSON     = "application/json"
	Table    = "application/json;as=Table;v=v1;g=meta.k8s.io"
	Metadata = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
	// MetadataEvents is for a watch, whose objects come one by one.
	MetadataEvents = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
)

// Server is one that is asked.
type Server struct {
	Name  string
	Host  string      // https://address:port
	TLS   *tls.Config // whom to trust, and the client's certificate, if any
	Token string      // a bearer token, if any
	PIDs  []int       // the processes whose CPU time its answers cost
}

// Client asks one server over one HTTP/2 connection, drains what comes, and decodes nothing.
type Client struct {
	server    *Server
	http      *http.Client
	transport *http.Transport
	dials     atomic.Int32
}

// Connect returns a client; the connection is made by the first request. Close ends it.
func (s *Server) Connect() *Client { return s.connect(0) }

// ConnectNarrow is Connect of a client that lets a server send no more than some bytes of an answer before they are read.
// Of an answer that is given up, Go's usual client has 4 MiB on their way, and is busy with them for milliseconds.
func (s *Server) ConnectNarrow(window int) *Client { return s.connect(window) }

func (s *Server) connect(window int) *Client {
	c := &Client{server: s}
	dialer := net.Dialer{Timeout: 10 * time.Second}
	c.transport = &http.Transport{
		TLSClientConfig: s.TLS.Clone(),
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c.dials.Add(1)
			return dialer.DialContext(ctx, network, address)
		},
		ForceAttemptHTTP2:  true,
		DisableCompression: true,
		HTTP2:              &http.HTTP2Config{MaxReceiveBufferPerStream: window},
	}
	c.http = &http.Client{Transport: c.transport}
	return c
}

// Close ends the connection; streams still open on it end when their contexts do.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Connections is how many were made so far: more than one spoils a figure.
func (c *Client) Connections() int { return int(c.dials.Load()) }

// Open sends a GET, and returns the answer once its header is here. Any code but 200 is an error. Headers are in pairs.
func (c *Client) Open(ctx context.Context, path string, headers ...string) (*http.Response, error) {
	return c.Do(ctx, http.MethodGet, path, nil, headers...)
}

// Do sends a request and returns the answer once its header is here. Any code but 200 and 201 is an error.
func (c *Client) Do(ctx context.Context, method, path string, body []byte, headers ...string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.server.Host+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	// kube-apiserver indents its JSON for what it takes for a browser or curl.
	request.Header.Set("User-Agent", "steward-bench")
	if c.server.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.server.Token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if used := tls.CipherSuiteName(response.TLS.CipherSuite); response.ProtoMajor != 2 || used != cipher {
		response.Body.Close()
		return nil, fmt.Errorf("%s speaks %s with %s: not comparable", c.server.Name, response.Proto, used)
	}
	if response.StatusCode == http.StatusOK || response.StatusCode == http.StatusCreated {
		return response, nil
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 500))
	return nil, fmt.Errorf("%s answers %s %s with %s: %s", c.server.Name, method, path, response.Status, text)
}

// Send is Do with the answer drained.
func (c *Client) Send(ctx context.Context, method, path string, body []byte, headers ...string) error {
	response, err := c.Do(ctx, method, path, body, headers...)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// Warm makes the connection, so that what is measured next does not. What is answered does not matter.
func (c *Client) Warm(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server.Host+"/", nil)
	if err != nil {
		return err
	}
	// Strangers' connections end with their first answer.
	if c.server.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.server.Token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// Transfer is how one answer came.
type Transfer struct {
	Bytes int64
	First time.Duration // from sending the request to the first byte of the body
	Total time.Duration // to its end, or to what was waited for
}

// Drain reads an answer to its end.
func (c *Client) Drain(ctx context.Context, path string, headers ...string) (Transfer, error) {
	return c.read(ctx, io.Discard, path, nil, headers...)
}

// Until reads an answer up to the first occurrence of some bytes, and gives up the rest. The end before is an error.
func (c *Client) Until(ctx context.Context, path string, wanted []byte, headers ...string) (Transfer, error) {
	return c.read(ctx, io.Discard, path, wanted, headers...)
}

// Keep writes an answer down, to its end or, unless wanted is nil, up to the first occurrence of that.
func (c *Client) Keep(ctx context.Context, into io.Writer, path string, wanted []byte, headers ...string) error {
	_, err := c.read(ctx, into, path, wanted, headers...)
	return err
}

// FirstByte reads one byte of an answer and gives up the rest.
func (c *Client) FirstByte(ctx context.Context, path string, headers ...string) (time.Duration, error) {
	got, err := c.read(ctx, io.Discard, path, []byte{}, headers...)
	return got.First, err
}

// read moves an answer up to wanted: nil for its end, nothing for its first byte.
func (c *Client) read(ctx context.Context, into io.Writer, path string, wanted []byte, headers ...string) (got Transfer, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // resets the stream if its end was not reached
	began := time.Now()
	response, err := c.Open(ctx, path, headers...)
	if err != nil {
		return got, err
	}
	defer response.Body.Close()
	seek := seeker{wanted: wanted}
	buffer := make([]byte, 256<<10)
	for {
		n, err := response.Body.Read(buffer)
		if n > 0 && got.Bytes == 0 {
			got.First = time.Since(began)
		}
		got.Bytes += int64(n)
		if _, err := into.Write(buffer[:n]); err != nil {
			return got, err
		}
		found := wanted != nil && n > 0 && seek.in(buffer[:n])
		if found || errors.Is(err, io.EOF) {
			got.Total = time.Since(began)
			if wanted != nil && !found {
				return got, fmt.Errorf("%s ended %s after %d bytes without %q", c.server.Name, path, got.Bytes, wanted)
			}
			return got, nil
		}
		if err != nil {
			return got, err
		}
	}
}

// seeker finds bytes in a stream that comes in pieces.
type seeker struct {
	wanted []byte
	end    []byte // of what came before: as much as could be the beginning of wanted
}

func (s *seeker) in(piece []byte) bool {
	if bytes.Contains(piece, s.wanted) {
		return true
	}
	keep := len(s.wanted) - 1
	if keep <= 0 {
		return false
	}
	head := piece[:min(len(piece), keep)]
	if bytes.Contains(append(s.end, head...), s.wanted) {
		return true
	}
	s.end = append(s.end, piece[max(0, len(piece)-keep):]...)
	s.end = append([]byte{}, s.end[max(0, len(s.end)-keep):]...)
	return false
}
