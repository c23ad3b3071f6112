package hostile

import "testing"

func init() { attacks["bodies that do not end"] = unfinishedBodies }

func TestUnfinishedBodies(t *testing.T) { beside(t, unfinishedBodies(t)) }

func unfinishedBodies(t *testing.T) assault { return target(t).UnfinishedBodies(listPath) }
