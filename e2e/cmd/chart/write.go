package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// writer writes templates.
type writer struct {
	out        string
	renderings []rendering
	lines      []string // those of template, which stand as marks in what the YAML encoder is given
}

// writeTemplates writes a template for each file of deploy/.
func (w *writer) writeTemplates(all []*merged) error {
	sources := map[string][]*merged{}
	for _, each := range all {
		sources[each.source] = append(sources[each.source], each)
	}
	everywhere := set(1)<<len(w.renderings) - 1
	for source, objects := range sources {
		var text strings.Builder
		var open set
		for i, each := range objects {
			if i == 0 || each.in != objects[i-1].in {
				if open != 0 {
					text.WriteString("{{- end }}\n")
				}
				open = 0
				if each.in != everywhere {
					expression, err := w.condition(each.in, everywhere)
					if err != nil {
						return fmt.Errorf("%s: %w", each, err)
					}
					fmt.Fprintf(&text, "{{- if %s }}\n", expression)
					open = each.in
				}
			}
			document, err := w.document(each)
			if err != nil {
				return fmt.Errorf("%s: %w", each, err)
			}
			if len(objects) > 1 {
				text.WriteString("---\n")
			}
			text.WriteString(document)
		}
		if open != 0 {
			text.WriteString("{{- end }}\n")
		}
		name := source
		if filepath.Base(name) == "kustomization.yaml" {
			name = filepath.Join(filepath.Dir(name), strings.TrimPrefix(objects[0].name, "steward-")+".yaml")
		}
		head := fmt.Sprintf("{{- /* tools/update writes this of deploy/%s. */}}\n", source)
		if err := write(filepath.Join(w.out, "templates", name), []byte(head+text.String())); err != nil {
			return err
		}
	}
	return nil
}

// condition is the plainest expression for what these have, among those that have what it is a part of.
func (w *writer) condition(in, among set) (string, error) {
	for _, each := range conditions() {
		var holds set
		for i, rendering := range w.renderings {
			if each.holds(rendering.settings) {
				holds |= 1 << i
			}
		}
		if holds&among == in {
			return each.expression, nil
		}
	}
	var have []string
	for i, rendering := range w.renderings {
		if in.has(i) {
			have = append(have, fmt.Sprint(rendering.settings))
		}
	}
	return "", fmt.Errorf("no condition of settings.go says when it is there: %s", strings.Join(have, "; "))
}

// Marks stand for lines of template, and for values.
const (
	lineMark  = "template-line-"
	valueMark = "template-value-"
)

var (
	markedLine  = regexp.MustCompile(`(?m)^( *)(?:- )?` + lineMark + `(\d+)(?:: "")?$`)
	markedValue = regexp.MustCompile(`(?m)^( *(?:- )?)(.*)` + valueMark + `(\d+)$`)
	braces      = regexp.MustCompile(`\{\{.*?\}\}`)
)

// document is the template of an object.
func (w *writer) document(object *merged) (string, error) {
	node, err := w.node(object.tree)
	if err != nil {
		return "", err
	}
	var buffer bytes.Buffer
	encoder := yaml.NewEncoder(&buffer)
	if err := encoder.Encode(node); err != nil {
		return "", err
	}
	// What is in braces already is for others than Helm.
	text := braces.ReplaceAllStringFunc(buffer.String(), func(found string) string { return "{{`" + found + "`}}" })
	// What a mark stands for, in a mapping or sequence with a margin.
	line := func(number string, margin int) string {
		at, _ := strconv.Atoi(number)
		text := strings.NewReplacer("INDENT", strconv.Itoa(margin), "DEEPER", strconv.Itoa(margin+2)).Replace(w.lines[at])
		return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", margin))
	}
	text = markedLine.ReplaceAllStringFunc(text, func(found string) string {
		parts := markedLine.FindStringSubmatch(found)
		return parts[1] + line(parts[2], len(parts[1]))
	})
	text = markedValue.ReplaceAllStringFunc(text, func(found string) string {
		parts := markedValue.FindStringSubmatch(found)
		return parts[1] + parts[2] + line(parts[3], len(parts[1]))
	})
	if strings.Contains(text, lineMark) || strings.Contains(text, valueMark) {
		return "", fmt.Errorf("a mark is left:\n%s", text)
	}
	return text, nil
}

// mark is a mark that stands for a text of template.
func (w *writer) mark(kind, text string) *yaml.Node {
	w.lines = append(w.lines, text)
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagString, Value: kind + strconv.Itoa(len(w.lines)-1)}
}

// node is what the YAML encoder is given for a part.
func (w *writer) node(t *tree) (*yaml.Node, error) {
	if t.expression != "" {
		return w.mark(valueMark, t.expression), nil
	}
	node := shell(t.node)
	add := func(field string, value *yaml.Node) {
		if node.Kind == yaml.MappingNode {
			node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagString, Value: field}, value)
		} else {
			node.Content = append(node.Content, value)
		}
	}
	addLine := func(line string) {
		mark := w.mark(lineMark, line)
		if node.Kind == yaml.MappingNode {
			add(mark.Value, &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagString, Style: yaml.DoubleQuotedStyle})
		} else {
			add("", mark)
		}
	}
	for i := 0; i < len(t.parts); {
		// Parts that are there in the same combinations stand in one condition; where the next ones are there in all others, in its else.
		in, end := t.parts[i].in, i+1
		for end < len(t.parts) && t.parts[end].in == in {
			end++
		}
		if in != t.in {
			expression, err := w.condition(in, t.in)
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", t.parts[i].field, t.parts[i].id, err)
			}
			if i > 0 && t.parts[i-1].in == t.in&^in {
				addLine("{{- else }}")
			} else {
				addLine("{{- if " + expression + " }}")
			}
		}
		for ; i < end; i++ {
			part := t.parts[i]
			value, err := w.node(part)
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", part.field, part.id, err)
			}
			add(part.field, value)
		}
		if in != t.in && (end == len(t.parts) || t.parts[end].in != t.in&^in) {
			addLine("{{- end }}")
		}
	}
	for _, line := range t.after {
		addLine(line)
	}
	return node, nil
}
