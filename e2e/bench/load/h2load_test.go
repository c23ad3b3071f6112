package load

import (
	"strings"
	"testing"
	"time"
)

const printed = `starting benchmark...
spawning thread #0: 8 total client(s). 2000 total requests
TLS Protocol: TLSv1.3
Cipher: TLS_AES_128_GCM_SHA256
Server Temp Key: ECDH prime256v1 256 bits
Application protocol: h2
progress: 100% done

finished in 669.73ms, 2986.30 req/s, 800.80MB/s
requests: 2000 total, 2000 started, 2000 done, 2000 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 2000 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 536.32MB (562368872) total, 26.05KB (26680) headers (space savings 92.83%), 535.96MB (562000000) data
                     min         max         mean         sd        +/- sd
time for request:     5.55ms     41.05ms     16.94ms      6.95ms    70.50%
`

func TestParseH2Load(t *testing.T) {
	got, err := parseH2Load(printed, 2000)
	if err != nil {
		t.Fatal(err)
	}
	want := Burst{Requests: 2000, Wall: 669730 * time.Microsecond, PerSecond: 2986.30, BodyBytes: 562000000}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got.Usage.Server = time.Second
	if each := got.PerRequest(); each != 500*time.Microsecond {
		t.Errorf("a second for 2000 requests is %s each", each)
	}
}

// A run that is not what was asked for must not become a figure.
func TestParseH2LoadRefuses(t *testing.T) {
	for name, change := range map[string][2]string{
		"another cipher":      {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"},
		"another protocol":    {"protocol: h2", "protocol: http/1.1"},
		"another TLS":         {"TLSv1.3", "TLSv1.2"},
		"a failed request":    {"2000 succeeded, 0 failed", "1999 succeeded, 1 failed"},
		"an answer not 2xx":   {"2000 2xx, 0 3xx, 0 4xx", "1999 2xx, 0 3xx, 1 4xx"},
		"no rate":             {"finished in", "ended in"},
		"no traffic":          {"traffic:", "bytes:"},
		"an unreadable rate":  {"2986.30 req/s", "many req/s"},
		"an unreadable time":  {"669.73ms", "soon"},
		"an unreadable count": {"(562000000) data", "(lots) data"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(printed, change[0], change[1], 1)
			if text == printed {
				t.Fatal("nothing to change")
			}
			if got, err := parseH2Load(text, 2000); err == nil {
				t.Errorf("read as %+v", got)
			}
		})
	}
	if got, err := parseH2Load(printed, 1999); err == nil {
		t.Errorf("2000 requests pass for 1999: %+v", got)
	}
}
