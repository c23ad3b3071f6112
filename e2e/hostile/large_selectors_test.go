package hostile

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

func init() { attacks["selectors as large as they can be"] = largeSelectors }

// What is more than a list's selectors may have is refused, and what is not is borne.
func TestLargeSelectors(t *testing.T) {
	mallory := overHTTP1(t, newTenant(t, "mallory"))
	for name, tc := range largest {
		if code := mallory.code(t, listPath+"?"+tc.query); code != tc.code {
			t.Errorf("%s: %d, want %d", name, code, tc.code)
		}
	}
	beside(t, largeSelectors(t))
}

// largest are queries that cost the most that is allowed, and more than that.
var largest = map[string]struct {
	query string
	code  int
}{
	"1,000 requirements":           {labelSelector(each(1000, "!a%d")), http.StatusOK},
	"1,001 requirements":           {labelSelector(each(1001, "!a%d")), http.StatusBadRequest},
	"900 values":                   {labelSelector("a notin (" + each(900, "v%d") + ")"), http.StatusOK},
	"1,001 values":                 {labelSelector("a notin (" + each(1001, "v%d") + ")"), http.StatusBadRequest},
	"1,001 requirements of fields": {"fieldSelector=" + url.QueryEscape(each(1001, "metadata.name!=x%d")), http.StatusBadRequest},
	"two million bytes":            {labelSelector(each(1<<18, "!a%06d")), http.StatusRequestURITooLong},
	"one value of two million":     {labelSelector("a=" + strings.Repeat("v", 2<<20)), http.StatusRequestURITooLong},
}

func labelSelector(text string) string { return "labelSelector=" + url.QueryEscape(text) }

// each is so many of the pattern, with commas between them.
func each(count int, pattern string) string {
	all := make([]string, count)
	for i := range all {
		all[i] = fmt.Sprintf(pattern, i)
	}
	return strings.Join(all, ",")
}

// largeSelectors ask for lists and watches.
func largeSelectors(t *testing.T) assault {
	mallory := overHTTP1(t, newTenant(t, "mallory"))
	var queries []string
	for _, tc := range largest {
		queries = append(queries, tc.query)
	}
	return func(ctx context.Context) {
		flood(ctx, 50, func(n int) {
			path := listPath + "?"
			if n%2 == 0 {
				path = watchPath + "&timeoutSeconds=1&"
			}
			mallory.take(ctx, path+queries[n/2%len(queries)])
		})
	}
}

// overHTTP1 is the same user, whose client refuses nothing by itself.
func overHTTP1(t *testing.T, u *user) *user {
	t.Helper()
	shown, err := rest.TLSConfigFor(u.config)
	must(t, err)
	shown.NextProtos = []string{"http/1.1"}
	transport := &http.Transport{
		TLSClientConfig:     shown,
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
		MaxIdleConnsPerHost: 50,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &user{&http.Client{Transport: transport}, u.config}
}
