package hostile

import "testing"

func init() { attacks["clients that take nothing"] = zeroWindows }

func TestZeroWindow(t *testing.T) { beside(t, zeroWindows(t)) }

func zeroWindows(t *testing.T) assault { return target(t).ZeroWindows() }
