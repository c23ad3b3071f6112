package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// deployments are the values that each Deployment is told by.
var deployments = map[string]string{
	"steward-apiserver":        "apiserver",
	"steward-apiservice-guard": "guard",
	"steward-certificates":     "certificates",
	"steward-console":          "console",
	"steward-controllers":      "controllers",
	"steward-copied-csvs":      "families.copies",
	"steward-install-plans":    "families.installPlans",
	"steward-operators":        "families.operators",
	"steward-payload":          "families.payload",
}

// deploymentValues are what values.yaml says of each Deployment, by the name of its values.
type deploymentValues map[string]string

// text is that, with a margin.
func (v deploymentValues) text(name string, margin int) (string, error) {
	text, ok := v[name]
	if !ok {
		return "", fmt.Errorf("there is no Deployment %s", name)
	}
	indent := strings.Repeat(" ", margin)
	return indent + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+indent), nil
}

// tooLong is how much text of one field is kept beside the templates.
const tooLong = 8 << 10

// parameterize lets values change the manifests, and returns what they are unless somebody says otherwise.
func (w *writer) parameterize(all []*merged) (deploymentValues, error) {
	values := deploymentValues{}
	for _, each := range all {
		var err error
		switch {
		case each.kind == "Deployment":
			name := deployments[each.name]
			if name == "" {
				return nil, fmt.Errorf("no value tells Deployment %s: add it to values.go", each.name)
			}
			values[name], err = parameterizeDeployment(each.tree, name)
		case each.kind == "NetworkPolicy" && each.name == "steward-egress":
			err = parameterizeEgress(each.tree)
		case each.kind == "NetworkPolicy" && each.name == "steward-apiservice-guard-egress":
			err = replace(each.tree, "8443", "port", "{{ .Values.apiserver.port }}")
		case each.kind == "NetworkPolicy" && each.name == "steward-controllers-prometheus":
			err = replace(each.tree, "monitoring", "kubernetes.io/metadata.name", "{{ .Values.monitoring.namespace | quote }}")
		case each.kind == "ConfigMap":
			err = w.moveLongTexts(each)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", each, err)
		}
	}
	for _, name := range deployments {
		if values[name] == "" {
			return nil, fmt.Errorf("there is no Deployment for the values %s", name)
		}
	}
	return values, nil
}

func parameterizeDeployment(t *tree, name string) (values string, err error) {
	value := ".Values." + name
	spec, pod := t.at("spec"), t.at("spec", "template", "spec")
	containers := pod.at("containers")
	if len(containers.parts) != 1 {
		return "", fmt.Errorf("it has %d containers", len(containers.parts))
	}
	container := containers.parts[0]
	replicas, resources, args := spec.at("replicas"), container.at("resources"), container.at("args")
	if replicas == nil || resources == nil || args == nil || pod.at("nodeSelector") == nil {
		return "", fmt.Errorf("it lacks replicas, resources, args or a nodeSelector")
	}
	priority := pod.at("priorityClassName")
	defaults := struct {
		Replicas          any
		Resources         any
		PriorityClassName any      `yaml:"priorityClassName"`
		ExtraArgs         []string `yaml:"extraArgs"`
	}{plain(replicas), plain(resources), "", []string{}}
	if priority != nil {
		defaults.PriorityClassName = plain(priority)
	}
	text, err := yaml.Marshal(defaults)
	if err != nil {
		return "", err
	}
	replicas.expression = "{{ " + value + ".replicas }}"
	resources.expression = "{{- toYaml " + value + ".resources | nindent DEEPER }}"
	args.after = []string{"{{- with " + value + ".extraArgs }}", "{{- toYaml . | nindent INDENT }}", "{{- end }}"}
	container.at("image").expression = `{{ include "steward.image" . }}`
	container.after = []string{"{{- with .Values.image.pullPolicy }}", "imagePullPolicy: {{ . }}", "{{- end }}"}
	pod.at("nodeSelector").after = []string{"{{- with .Values.nodeSelector }}", "{{- toYaml . | nindent INDENT }}", "{{- end }}"}
	pod.parts = slices.DeleteFunc(pod.parts, func(each *tree) bool { return each == priority })
	if affinity := pod.at("affinity"); affinity != nil {
		affinity.after = []string{"{{- with .Values.affinity }}", "{{- toYaml . | nindent INDENT }}", "{{- end }}"}
	} else {
		pod.after = append(pod.after, "{{- with .Values.affinity }}", "affinity: {{- toYaml . | nindent DEEPER }}", "{{- end }}")
	}
	pod.after = append(pod.after,
		"{{- with "+value+".priorityClassName }}", "priorityClassName: {{ . }}", "{{- end }}",
		"{{- with .Values.tolerations }}", "tolerations: {{- toYaml . | nindent INDENT }}", "{{- end }}",
		"{{- with .Values.imagePullSecrets }}", "imagePullSecrets: {{- toYaml . | nindent INDENT }}", "{{- end }}")
	if name == "apiserver" {
		err = replace(container.at("ports"), "8443", "containerPort", "{{ .Values.apiserver.port }}")
		if flag := args.at("--secure-port=8443\n"); flag != nil {
			flag.expression = "--secure-port={{ .Values.apiserver.port }}"
		} else if err == nil {
			err = fmt.Errorf("its port is not 8443")
		}
	}
	return string(text), err
}

// parameterizeEgress lets the ports of the kube-apiserver be named.
func parameterizeEgress(t *tree) error {
	rules := t.at("spec", "egress")
	for _, rule := range rules.parts {
		if rule.at("to") == nil && rule.at("ports") != nil {
			rule.at("ports").expression = "{{- range .Values.egress.kubeApiserverPorts }}\n- port: {{ . }}\n  protocol: TCP\n{{- end }}"
			return nil
		}
	}
	return fmt.Errorf("it has no rule for the kube-apiserver")
}

// replace puts an expression in the one place where a field has the value.
func replace(t *tree, value, field, expression string) error {
	var found []*tree
	var look func(*tree)
	look = func(t *tree) {
		for _, each := range t.parts {
			if each.field == field && each.node.Value == value {
				found = append(found, each)
			}
			look(each)
		}
	}
	look(t)
	if len(found) != 1 {
		return fmt.Errorf("it has %s %s in %d places", field, value, len(found))
	}
	found[0].expression = expression
	return nil
}

// moveLongTexts keeps such as dashboards beside the templates, as files.
func (w *writer) moveLongTexts(object *merged) error {
	data := object.at("data")
	if data == nil {
		return nil
	}
	for _, each := range data.parts {
		text := each.node.Value
		if len(text) < tooLong {
			continue
		}
		if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
			return fmt.Errorf("%s does not end with one line feed", each.field)
		}
		if err := write(filepath.Join(w.out, "files", each.field), []byte(text)); err != nil {
			return err
		}
		each.expression = fmt.Sprintf("|{{ .Files.Get %q | nindent DEEPER }}", "files/"+each.field)
	}
	return nil
}

// plain is a part as values have it.
func plain(t *tree) (value any) {
	node := rebuilt(t)
	_ = node.Decode(&value)
	return value
}

func rebuilt(t *tree) *yaml.Node {
	node := shell(t.node)
	for _, part := range t.parts {
		if node.Kind == yaml.MappingNode {
			node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagString, Value: part.field})
		}
		node.Content = append(node.Content, rebuilt(part))
	}
	return node
}
