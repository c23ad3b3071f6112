package load

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// cipher is asked of every server, since servers differ in what they prefer and AES-256 costs more than AES-128.
const cipher = "TLS_AES_128_GCM_SHA256"

// H2Load is how h2load asks: always with one thread, HTTP/2 and TLS 1.3.
type H2Load struct {
	Connections, Streams int // streams per connection
	Header               []string
}

// Burst is what one run of h2load saw. All requests were answered 2xx.
type Burst struct {
	Requests  int
	Wall      time.Duration
	PerSecond float64
	BodyBytes int64 // of all answers
	Usage     Usage
}

// PerRequest is the CPU time of the measured processes for one request.
func (b Burst) PerRequest() time.Duration { return b.Usage.Server / time.Duration(b.Requests) }

// Run sends so many requests for one path of a server. Anything but an answer of 200 to each is an error.
func (h H2Load) Run(ctx context.Context, server *Server, path string, requests int, known []int) (Burst, error) {
	args := []string{
		"-n", strconv.Itoa(requests), "-c", strconv.Itoa(h.Connections), "-m", strconv.Itoa(h.Streams), "-t", "1",
		"--tls13-ciphers", cipher,
	}
	for _, header := range h.Header {
		args = append(args, "-H", header)
	}
	if server.Token != "" {
		args = append(args, "-H", "authorization: Bearer "+server.Token)
	}
	meter, err := StartMeter(server.PIDs, known)
	if err != nil {
		return Burst{}, err
	}
	command := exec.CommandContext(ctx, "h2load", append(args, server.Host+path)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return Burst{}, fmt.Errorf("h2load %s%s: %w: %s%s", server.Host, path, err, out, stderr.Bytes())
	}
	usage, err := meter.Stop()
	if err != nil {
		return Burst{}, err
	}
	burst, err := parseH2Load(string(out), requests)
	if err != nil {
		return Burst{}, fmt.Errorf("%s, %s%s: %w", server.Name, server.Host, path, err)
	}
	burst.Usage = usage
	return burst, nil
}

// parseH2Load reads what h2load printed, and refuses a run that was not what was asked for.
func parseH2Load(text string, requests int) (b Burst, err error) {
	for _, want := range []string{
		"TLS Protocol: TLSv1.3\n",
		"Cipher: " + cipher + "\n",
		"Application protocol: h2\n",
		fmt.Sprintf("\nrequests: %d total, %d started, %d done, %d succeeded, 0 failed, 0 errored, 0 timeout\n", requests, requests, requests, requests),
		fmt.Sprintf("\nstatus codes: %d 2xx, 0 3xx, 0 4xx, 0 5xx\n", requests),
	} {
		if !strings.Contains(text, want) {
			return b, fmt.Errorf("h2load did not print %q but:\n%s", strings.TrimSpace(want), text)
		}
	}
	b.Requests = requests
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(line, "finished in "); found {
			wall, rest, _ := strings.Cut(rest, ", ")
			if b.Wall, err = time.ParseDuration(wall); err != nil {
				return b, err
			}
			rate, _, _ := strings.Cut(rest, " req/s")
			if b.PerSecond, err = strconv.ParseFloat(rate, 64); err != nil {
				return b, err
			}
		}
		if rest, found := strings.CutPrefix(line, "traffic: "); found {
			_, rest, _ = strings.Cut(rest, "(space savings")
			_, rest, _ = strings.Cut(rest, " (")
			number, _, _ := strings.Cut(rest, ")")
			if b.BodyBytes, err = strconv.ParseInt(number, 10, 64); err != nil {
				return b, err
			}
		}
	}
	if b.PerSecond == 0 || b.BodyBytes == 0 {
		return b, fmt.Errorf("h2load printed no rate or no traffic but:\n%s", text)
	}
	return b, nil
}
