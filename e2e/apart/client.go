package apart

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

// Client asks for the same paths again and again.
type Client struct {
	Host, Token string
	TLS         rest.TLSClientConfig
	Paths       []string
	// Anew is over a new connection each time, from the address if one is set.
	Anew bool
	From net.IP
	// Count is how often; 0 is until standard input ends.
	Count int
	// Pause is the time between an answer and the next request.
	Pause time.Duration
	// Every, unless it is 0, is the time from one request to the next, whether there was an answer or not, and how long one took counts
	// from when it was due: so one that waits is not the only one that is seen to.
	Every time.Duration
	// Patience is how long a request may take.
	Patience time.Duration
}

// answered is one request's end.
type answered struct {
	Took  time.Duration
	Error string
}

// Meanwhile asks in a process apart, until the context ends if no count is set, and returns how long each request took. failed is told of
// those that failed, whose times count, too, and of the process itself.
func (c Client) Meanwhile(ctx context.Context, failed func(error)) []time.Duration {
	child, out, err := start(ctx, part{Client: &c})
	if err != nil {
		failed(fmt.Errorf("a process apart: %w", err))
		return nil
	}
	var took []time.Duration
	for {
		var one answered
		if err := out.Decode(&one); err != nil {
			if !errors.Is(err, io.EOF) {
				failed(err)
			}
			if err := child.Wait(); err != nil {
				failed(fmt.Errorf("a process apart: %w", err))
			}
			return took
		}
		if one.Error != "" {
			failed(errors.New(one.Error))
		}
		took = append(took, one.Took)
	}
}

func (c *Client) ask(ended <-chan struct{}, out *json.Encoder) error {
	connect, err := c.connect()
	if err != nil {
		return err
	}
	for n := 0; c.Count == 0 || n < c.Count; n++ {
		select {
		case <-ended:
			return nil
		case <-time.After(c.Pause):
		}
		if err := out.Encode(c.once(connect, n, time.Now())); err != nil {
			return err
		}
	}
	return nil
}

// askSteadily waits for what is under way when it ends.
func (c *Client) askSteadily(ended <-chan struct{}, out *json.Encoder) error {
	connect, err := c.connect()
	if err != nil {
		return err
	}
	// The first request makes the connection, and is not counted.
	if first := c.once(connect, 0, time.Now()); first.Error != "" {
		return errors.New(first.Error)
	}
	var mutex sync.Mutex
	var work sync.WaitGroup
	defer work.Wait()
	began := time.Now()
	for n := 0; c.Count == 0 || n < c.Count; n++ {
		due := began.Add(time.Duration(n) * c.Every)
		select {
		case <-ended:
			return nil
		case <-time.After(time.Until(due)):
		}
		work.Go(func() {
			one := c.once(connect, n, due)
			mutex.Lock()
			defer mutex.Unlock()
			_ = out.Encode(one)
		})
	}
	return nil
}

func (c *Client) once(connect *http.Client, n int, began time.Time) answered {
	path := c.Paths[n%len(c.Paths)]
	_, err := Get(connect, c.Host+path)
	one := answered{Took: time.Since(began)}
	if err != nil {
		one.Error = fmt.Sprintf("%s: %v", path, err)
	}
	return one
}

func (c *Client) connect() (*http.Client, error) {
	// To unpack an answer would take longer than to get it, and this process longer beside others.
	config := &rest.Config{Host: c.Host, BearerToken: c.Token, TLSClientConfig: c.TLS, Timeout: c.Patience, DisableCompression: true}
	if !c.Anew {
		return rest.HTTPClientFor(config)
	}
	shown, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{}
	if c.From != nil {
		dialer.LocalAddr = &net.TCPAddr{IP: c.From}
	}
	anew, err := rest.HTTPWrappersForConfig(config,
		&http.Transport{TLSClientConfig: shown, DisableKeepAlives: true, DisableCompression: true, DialContext: dialer.DialContext})
	return &http.Client{Transport: anew, Timeout: c.Patience}, err
}

// Get is the body of an answer, which must be 200.
func Get(client *http.Client, url string) (string, error) {
	response, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200s", response.Status, body)
	}
	return string(body), err
}
