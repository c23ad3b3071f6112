package hostile

import (
	"testing"

	"steward.dev/e2e/attackers"
)

// assault may leave connections open until the test ends.
type assault = attackers.Assault

// attacks has every attack by what it sends, and prepares it while the server is quiet. Each is in a file of its own, with a
// test of its own; TestAllAttacksAtOnce has them all. What `./dev bench` uses, too, is in e2e/attackers.
var attacks = map[string]func(t *testing.T) assault{}
