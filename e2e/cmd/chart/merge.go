package main

import (
	"cmp"
	"fmt"
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// set are renderings, by their places in the list.
type set uint64

func (s set) has(i int) bool { return s&(1<<i) != 0 }

// tree is what a part of an object is in all renderings.
type tree struct {
	in    set        // those that have it
	field string     // its name, in a mapping
	id    string     // what it is known by among the items of a sequence
	node  *yaml.Node // the first rendering's; of a mapping or a sequence without its content
	parts []*tree    // of a mapping or a sequence
	// What stands in its place in the template, if not empty.
	expression string
	after      []string // lines of template that come after its last part
}

// merged is an object in all renderings.
type merged struct {
	object
	*tree
}

// mergeObjects is each object that a rendering has, in the order of the first.
func mergeObjects(renderings []rendering) (all []*merged, err error) {
	if len(renderings) > 64 {
		return nil, fmt.Errorf("%d renderings are too many", len(renderings))
	}
	known := map[string]*merged{}
	for i, rendering := range renderings {
		previous := -1
		for _, each := range rendering.objects {
			found := known[each.String()]
			if found == nil {
				found = &merged{each, &tree{node: shell(each.node)}}
				known[each.String()] = found
				all = slices.Insert(all, previous+1, found)
			}
			if found.source != each.source {
				return nil, fmt.Errorf("%s comes from %s and from %s", each, found.source, each.source)
			}
			if err := found.add(i, bare(each.node)); err != nil {
				return nil, fmt.Errorf("%s: %w", each, err)
			}
			previous = slices.Index(all, found)
		}
	}
	return all, nil
}

// shell is the node without its content, comments, and style.
func shell(node *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: node.Kind, Tag: node.Tag, Value: node.Value}
}

// bare is the node with its content, and without comments, style and aliases; the fields of a mapping are sorted, a name before all.
func bare(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	copied := shell(node)
	if node.Kind == yaml.MappingNode {
		fields := slices.Collect(slices.Chunk(node.Content, 2))
		slices.SortStableFunc(fields, func(a, b []*yaml.Node) int { return cmp.Compare(rank(a[0]), rank(b[0])) })
		node = &yaml.Node{Content: slices.Concat(fields...)}
	}
	for _, each := range node.Content {
		copied.Content = append(copied.Content, bare(each))
	}
	return copied
}

func rank(field *yaml.Node) string {
	if field.Value == "name" {
		return ""
	}
	return field.Value
}

// add is what rendering i has.
func (t *tree) add(i int, node *yaml.Node) error {
	if node.Kind != t.node.Kind || node.Value != t.node.Value {
		return fmt.Errorf("it is %q in one combination of settings and %q in another", t.node.Value, node.Value)
	}
	t.in |= 1 << i
	previous := -1
	part := func(field, id string, node *yaml.Node) error {
		at := slices.IndexFunc(t.parts, func(each *tree) bool { return each.field == field && each.id == id })
		if at < 0 {
			at = previous + 1
			t.parts = slices.Insert(t.parts, at, &tree{field: field, id: id, node: shell(node)})
		}
		previous = at
		if err := t.parts[at].add(i, node); err != nil {
			return fmt.Errorf("%s%s: %w", field, id, err)
		}
		return nil
	}
	switch node.Kind {
	case yaml.MappingNode:
		for k := 0; k < len(node.Content); k += 2 {
			if err := part(node.Content[k].Value, "", node.Content[k+1]); err != nil {
				return err
			}
		}
	case yaml.SequenceNode:
		seen := map[string]int{}
		for _, item := range node.Content {
			id, err := identity(item)
			if err != nil {
				return err
			}
			seen[id]++
			if err := part("", fmt.Sprintf("[%s %d]", id, seen[id]), item); err != nil {
				return err
			}
		}
	}
	return nil
}

// identity is what an item of a sequence is known by: its name, or all that it is.
func identity(item *yaml.Node) (string, error) {
	if item.Kind == yaml.MappingNode {
		for k := 0; k < len(item.Content); k += 2 {
			if item.Content[k].Value == "name" && item.Content[k+1].Kind == yaml.ScalarNode {
				return item.Content[k+1].Value, nil
			}
		}
	}
	text, err := yaml.Marshal(item)
	return string(text), err
}

// at is the part of that way: fields, and names of items.
func (t *tree) at(way ...string) *tree {
	for _, step := range way {
		at := slices.IndexFunc(t.parts, func(each *tree) bool { return each.field == step || each.id == "["+step+" 1]" })
		if at < 0 {
			return nil
		}
		t = t.parts[at]
	}
	return t
}
