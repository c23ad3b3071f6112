package cluster

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// Main runs a package's tests on one cluster, and ends the process, as TestMain has to. setUp leaves the cluster in *shared as
// soon as there is one. Whatever happens, tearDowns are called, in order, and then the cluster is stopped; its logs are shown
// when something has failed.
func Main(m *testing.M, shared **Cluster, setUp func(context.Context) error, tearDowns ...func() error) {
	code := 1
	if err := setUp(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "setting up the shared cluster:", err)
	} else {
		code = m.Run()
	}
	if cluster := *shared; cluster != nil {
		tearDowns = append(tearDowns, func() error {
			if code != 0 {
				cluster.DumpLogs(os.Stderr, 40)
			}
			return cluster.Stop()
		})
	}
	for _, tearDown := range tearDowns {
		if err := tearDown(); err != nil {
			fmt.Fprintln(os.Stderr, "tearing down:", err)
			code = 1
		}
	}
	os.Exit(code)
}
