package main

import (
	"fmt"
	"os"
	"strings"
)

const (
	begins = "<!-- table: ./dev availability -->\n"
	ends   = "<!-- end of the table -->"
	head   = "| state | guard | `kubectl get pods -A` | discovery | deletion of a namespace | garbage collection | `/openapi/v3`, `v2` | " +
		"`kubectl get installedoperators -A` | withdrawn after | served again after mending |\n|---|---|---|---|---|---|---|---|---|---|\n"
)

// writeTable replaces what stands between the two marks.
func writeTable(file, version string, rows []row) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), begins)
	_, after, closed := strings.Cut(rest, ends)
	if !found || !closed {
		return fmt.Errorf("%s has no place for the table", file)
	}
	var table strings.Builder
	fmt.Fprintf(&table, "Kubernetes %s, the guard's grace period %s.\n\n%s", version, grace, head)
	for _, r := range rows {
		fmt.Fprintln(&table, r.String())
	}
	return os.WriteFile(file, []byte(before+begins+table.String()+ends+after), 0o644)
}
