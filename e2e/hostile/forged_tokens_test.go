package hostile

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func init() { attacks["tokens of pages that there are not"] = forgedTokens }

// Lists have one page: whatever a token says is refused.
func TestForgedTokens(t *testing.T) {
	mallory := newTenant(t, "mallory")
	for n := range 4 {
		if code := mallory.code(t, listPath+forgedPage(n)); code/100 != 4 {
			t.Errorf("%.100s: %d", forgedPage(n), code)
		}
	}
	beside(t, forgedTokens(t))
}

// forgedTokens are of pages that there are not: as the kube-apiserver writes them, short and long ones, and no tokens at all.
func forgedTokens(t *testing.T) assault {
	mallory := newTenant(t, "mallory")
	return func(ctx context.Context) {
		flood(ctx, 100, func(n int) { mallory.take(ctx, listPath+forgedPage(n)) })
	}
}

func forgedPage(n int) string {
	token := fmt.Sprintf("made up %d", n)
	switch n % 4 {
	case 0:
		token = fmt.Sprintf(`{"v":"meta.k8s.io/v1","rv":%d,"start":"default/x\u0000"}`, n)
	case 1:
		token = fmt.Sprintf(`{"v":"meta.k8s.io/v1","rv":-1,"start":"%s%d"}`, strings.Repeat("../", 10_000), n)
	case 2:
		token = fmt.Sprintf("l1\n%d\ndefault\nx", n)
	}
	if n%4 < 3 {
		token = base64.RawURLEncoding.EncodeToString([]byte(token))
	} else {
		token = strings.ReplaceAll(token, " ", "+")
	}
	return "?limit=1&continue=" + token
}

// code is that of an answer.
func (u *user) code(t *testing.T, path string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.config.Host+path, nil)
	must(t, err)
	response, err := u.client.Do(request)
	must(t, err)
	defer response.Body.Close()
	return response.StatusCode
}
