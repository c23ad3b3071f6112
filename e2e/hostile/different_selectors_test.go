package hostile

import (
	"context"
	"fmt"
	"net/url"
	"testing"
)

func init() { attacks["lists that are never selected in the same way"] = differentSelectors }

func TestListsWithEverDifferentSelectors(t *testing.T) { beside(t, differentSelectors(t)) }

// differentSelectors are of lists, by labels, by fields and by both: nothing that is remembered of one helps the next.
func differentSelectors(t *testing.T) assault {
	fickle := newTenant(t, "fickle")
	labels := []string{"n!=v%d", "n%d", "!n%d", "n in (a,v%d)", "n notin (a,v%d)"}
	return func(ctx context.Context) {
		flood(ctx, 100, func(n int) {
			query := "labelSelector=" + url.QueryEscape(fmt.Sprintf(labels[n%len(labels)], n))
			field := "fieldSelector=" + url.QueryEscape(fmt.Sprintf("metadata.name!=x%d", n))
			switch n % 3 {
			case 1:
				query = field
			case 2:
				query += "&" + field
			}
			fickle.take(ctx, listPath+"?"+query)
		})
	}
}
