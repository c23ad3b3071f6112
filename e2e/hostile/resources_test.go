package hostile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	// memoryLimit is the container's in deploy/base/deployment.yaml.
	memoryLimit = 1 << 30
	// keptConnections are open to the kube-apiserver, for reviews: a pool keeps some of them for the next ones.
	keptConnections = 64
	// keptMemory is what caches fill up to, and what the allocator keeps of what was freed, for the next time.
	keptMemory = 128 << 20
	// strayMemory is what one round of attacks keeps more than another by chance: the allocator keeps a page for as long as one object
	// on it lives. A round that leaked would keep most of its 150 MiB and more.
	strayMemory = 32 << 20
)

// resources are what the server has of the machine.
type resources struct {
	rss         int
	descriptors int
}

func proc(file string) string { return filepath.Join("/proc", strconv.Itoa(steward.Pid()), file) }

func usage(t *testing.T) resources {
	t.Helper()
	open, err := os.ReadDir(proc("fd"))
	must(t, err)
	return resources{memory(t, "VmRSS"), len(open)}
}

// forgetPeak has VmHWM be the most from now on.
func forgetPeak(t *testing.T) {
	t.Helper()
	must(t, os.WriteFile(proc("clear_refs"), []byte("5"), 0))
}

// memory is a figure of the process in bytes.
func memory(t *testing.T, name string) int {
	t.Helper()
	status, err := os.ReadFile(proc("status"))
	must(t, err)
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, name+":"); found {
			kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
			must(t, err)
			return kilobytes << 10
		}
	}
	t.Fatalf("no %s", name)
	return 0
}

// returned waits until nothing of an attack is left but what the server keeps, and a tenth of what it had.
func returned(t *testing.T, before, kept resources) (after resources) {
	t.Helper()
	tenant, strangers := newTenant(t, "afterwards"), strangers(t)
	eventually(t, func() error {
		// Connections for reviews that have become too old are closed by the next review.
		if _, err := tenant.list(); err != nil {
			return err
		}
		ask(context.Background(), strangers, steward.URL()+listPath, "made-up-afterwards")
		strangers.CloseIdleConnections()
		after = usage(t)
		if after.descriptors > before.descriptors*11/10+kept.descriptors {
			return fmt.Errorf("%d descriptors stay open, %d were before", after.descriptors, before.descriptors)
		}
		if after.rss > before.rss*11/10+kept.rss {
			return fmt.Errorf("%d MiB stay resident, %d were before", after.rss>>20, before.rss>>20)
		}
		return nil
	})
	t.Logf("afterwards %d descriptors, %d before; %.1f MiB resident, %.1f before",
		after.descriptors, before.descriptors, mebibytes(after.rss), mebibytes(before.rss))
	return after
}

func mebibytes(bytes int) float64 { return float64(bytes) / (1 << 20) }
