// Package docs reads the commands of a document, and compares what they print with what the document shows.
package docs

import (
	"fmt"
	"regexp"
	"strings"
)

// Step is a command of a document: a line of a fenced block that begins with "$ ", with those that a backslash joins to it.
type Step struct {
	Line    int // of the document, from 1
	Command string
	Shown   []string // what the document shows below it
	Beside  []Step   // the commands of the blocks "# in another terminal", which are run while it is
	AtLast  []string // what the block "# in the first terminal" shows
}

const (
	another = "# in another terminal"
	first   = "# in the first terminal"
)

// Steps reads a document's commands in their order.
func Steps(document string) (steps []Step, err error) {
	inside, beside, atLast := false, false, false
	var current *Step
	for i, line := range strings.Split(document, "\n") {
		text, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside, beside, atLast, current = !inside, false, false, nil
		case !inside:
		case line == another || line == first:
			if len(steps) == 0 {
				return nil, fmt.Errorf("line %d: there is no other terminal yet", i+1)
			}
			beside, atLast = line == another, line == first
		case atLast:
			last := &steps[len(steps)-1]
			last.AtLast = append(last.AtLast, line)
		case isCommand && beside:
			last := &steps[len(steps)-1]
			last.Beside = append(last.Beside, Step{Line: i + 1, Command: text})
			current = &last.Beside[len(last.Beside)-1]
		case isCommand:
			steps = append(steps, Step{Line: i + 1, Command: text})
			current = &steps[len(steps)-1]
		case current != nil && strings.HasSuffix(current.Command, "\\"):
			current.Command += "\n" + line
		case current != nil:
			current.Shown = append(current.Shown, line)
		}
	}
	for _, step := range steps {
		if (len(step.Beside) > 0) != (len(step.AtLast) > 0) {
			return nil, fmt.Errorf("line %d: a block %q needs one %q, and the other way round", step.Line, another, first)
		}
	}
	return steps, nil
}

// LeftOut stands for any lines where it is a line, and for any text within one.
const LeftOut = "[...]"

// varying is what differs from run to run.
var varying = []struct {
	text *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "UID"},
	{regexp.MustCompile(`(v[0-9.]+)-[0-9a-f]{8}\b`), "$1-UID"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`(?m)^\d+:\d\d  `), "ELAPSED  "},
	{regexp.MustCompile(`(?m)  \d+[smh](\d+[sm])?$`), "  AGE"},
	{regexp.MustCompile(`\b127\.0\.0\.1:\d+`), "ADDRESS"},
}

// normal is a text without what varies, nor blanks at the ends of lines, and nothing but one line break at its end.
func normal(lines []string) string {
	text := make([]string, len(lines))
	for i, line := range lines {
		text[i] = strings.TrimRight(line, " ")
	}
	joined := strings.Trim(strings.Join(text, "\n"), "\n") + "\n"
	for _, each := range varying {
		joined = each.text.ReplaceAllString(joined, each.name)
	}
	return joined
}

// Compare says how what was printed differs from what a document shows.
func Compare(shown, printed []string) error {
	var pattern strings.Builder
	for _, line := range strings.SplitAfter(strings.TrimSuffix(normal(shown), "\n"), "\n") {
		if line = strings.TrimSuffix(line, "\n"); line == LeftOut {
			pattern.WriteString(`(?:.*\n)*`)
			continue
		}
		quoted := regexp.QuoteMeta(line)
		pattern.WriteString(strings.ReplaceAll(quoted, regexp.QuoteMeta(LeftOut), ".*") + `\n`)
	}
	if regexp.MustCompile("^" + pattern.String() + "$").MatchString(normal(printed)) {
		return nil
	}
	return fmt.Errorf("it shows\n%s\nbut what is printed is\n%s", strings.Join(shown, "\n"), strings.Join(printed, "\n"))
}
