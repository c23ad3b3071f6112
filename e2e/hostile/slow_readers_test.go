package hostile

import "testing"

func init() { attacks["clients that read slowly"] = slowReaders }

func TestSlowReaders(t *testing.T) { beside(t, slowReaders(t)) }

// slowReaders are more than connections may stay behind.
func slowReaders(t *testing.T) assault { return target(t).SlowReaders(3 * keptConnections) }
