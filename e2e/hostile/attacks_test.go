package hostile

import (
	"context"
	"testing"
)

// assault goes on until its context ends, or has done what harm it can. Connections that it opened may stay open until the
// test ends: to get rid of them is the server's business.
type assault func(ctx context.Context)

// attacks has every attack by what it sends, and prepares it while the server is quiet. Each is in a file of its own, with a
// test of its own; TestAllAttacksAtOnce has them all.
var attacks = map[string]func(t *testing.T) assault{}
