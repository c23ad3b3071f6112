package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// settings are the values that decide which manifests there are.
type settings struct {
	provider string // certificates.provider
	on       map[string]bool
}

const (
	besideOLM          = "besideOlm"
	allAPIs            = "cleanup.allApis"
	supportedByDefault = "cleanup.supportedByDefault"
	copies             = "families.copies.enabled"
	installPlans       = "families.installPlans.enabled"
	optionalManifests  = "families.installPlans.optionalManifests"
	bundlePreviews     = "families.installPlans.bundlePreviews"
	operators          = "families.operators.enabled"
	payload            = "families.payload.enabled"
	console            = "console.enabled"
	monitoring         = "monitoring.enabled"
	egress             = "egress.enabled"
	hostNetwork        = "apiserver.hostNetwork"
)

var switches = []string{
	besideOLM, allAPIs, supportedByDefault, copies, installPlans, optionalManifests, bundlePreviews, operators, payload, console, monitoring, egress, hostNetwork,
}

// complete are the overlays that are everything for one provider of certificates.
var complete = map[string]string{"steward": "standalone", "cert-manager": "cert-manager", "openshift": "openshift"}

// overlay is a kustomization of the settings, of folders below deploy/. Lists are in the order in which their parts come in the manifests.
type overlay struct {
	resources, components []string
	patches               string
}

// tokensOnly has the Deployment that makes certificates keep the token that reads metrics, and nothing else.
const tokensOnly = `
- target: {kind: Deployment, name: steward-certificates}
  patch: |
    - {op: test, path: /spec/template/spec/containers/0/args/1, value: "--reconcilers=certificates,metrics-token"}
    - {op: replace, path: /spec/template/spec/containers/0/args/1, value: --reconcilers=metrics-token}
`

func (s settings) overlay() (o overlay) {
	first := complete[s.provider]
	if s.on[besideOLM] {
		first = "beside-olm"
	}
	o.resources = []string{"overlays/" + first}
	if s.provider == "cert-manager" && s.on[monitoring] {
		o.resources = append(o.resources, "overlays/standalone/certificates")
		o.patches = tokensOnly
	}
	resource := func(name, folder string) {
		if s.on[name] {
			o.resources = append(o.resources, "overlays/"+folder)
		}
	}
	component := func(name, folder string) {
		if s.on[name] {
			o.components = append(o.components, "overlays/"+folder)
		}
	}
	resource(allAPIs, "cleanup-all-apis")
	resource(copies, "copies")
	resource(installPlans, "install-plans")
	resource(operators, "operators")
	resource(payload, "payload")
	resource(console, "console")
	resource(monitoring, "prometheus")
	resource(egress, "egress")
	if s.provider == "openshift" {
		o.components = append(o.components, "overlays/openshift/users")
	}
	component(supportedByDefault, "cleanup-supported-by-default")
	component(hostNetwork, "host-network")
	component(copies, "copies/apiserver")
	component(installPlans, "install-plans/apiserver")
	if s.on[installPlans] {
		component(bundlePreviews, "install-plans/bundle-previews")
		component(optionalManifests, "optional-manifests")
	}
	return o
}

// elsewhere are folders that no value names, and why.
var elsewhere = map[string]string{
	"overlays/copies/crds": "definitions of OLM's, for clusters that never had it: applied by hand, as they are to outlive the chart",
}

// allFoldersAreNamed fails if base/ or overlays/ has a kustomization that no settings name.
func allFoldersAreNamed(deploy string) error {
	// Parts of what is named.
	named := []string{"base", "base/apiservice-guard"}
	for _, each := range combinations() {
		o := each.overlay()
		named = append(append(named, o.resources...), o.components...)
	}
	for _, top := range []string{"base", "overlays"} {
		err := filepath.WalkDir(filepath.Join(deploy, top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.Name() != "kustomization.yaml" {
				return err
			}
			folder, err := filepath.Rel(deploy, filepath.Dir(path))
			if err == nil && !slices.Contains(named, folder) && elsewhere[folder] == "" {
				err = fmt.Errorf("no value names deploy/%s: add it to settings.go", folder)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// combinations are those that are rendered: enough to tell what each setting does alone, and in the midst of all others. The first has
// everything, and so decides the order of what several add to one list.
func combinations() (all []settings) {
	with := func(provider string, on ...string) settings {
		s := settings{provider, map[string]bool{}}
		for _, each := range on {
			s.on[each] = true
		}
		return s
	}
	without := func(left string) []string {
		return slices.DeleteFunc(slices.Clone(switches), func(each string) bool { return each == left })
	}
	all = append(all, with("steward", switches...))
	for _, provider := range []string{"openshift", "cert-manager"} {
		all = append(all, with(provider, without(besideOLM)...), with(provider))
	}
	all = append(all, with("steward"), with("cert-manager", monitoring))
	for _, each := range switches {
		all = append(all, with("steward", each), with("steward", without(each)...))
	}
	return all
}

// condition is an expression of templates, and what it says.
type condition struct {
	expression string
	holds      func(settings) bool
}

// conditions are what decides whether a part is there, the plainest first.
func conditions() (all []condition) {
	value := func(name string) string { return ".Values." + name }
	provider := func(name string) func(settings) bool {
		return func(s settings) bool { return s.provider == name }
	}
	not := func(holds func(settings) bool) func(settings) bool {
		return func(s settings) bool { return !holds(s) }
	}
	on := func(name string) func(settings) bool { return func(s settings) bool { return s.on[name] } }
	both := func(a, b func(settings) bool) func(settings) bool {
		return func(s settings) bool { return a(s) && b(s) }
	}
	for _, each := range switches {
		all = append(all, condition{value(each), on(each)})
	}
	const theProvider = ".Values.certificates.provider"
	for _, each := range []string{"steward", "cert-manager", "openshift"} {
		all = append(all,
			condition{fmt.Sprintf("eq %s %q", theProvider, each), provider(each)},
			condition{fmt.Sprintf("ne %s %q", theProvider, each), not(provider(each))})
	}
	certManager := provider("cert-manager")
	return append(all,
		condition{fmt.Sprintf("or (ne %s %q) %s", theProvider, "cert-manager", value(monitoring)), not(both(certManager, not(on(monitoring))))},
		condition{"and " + value(installPlans) + " " + value(optionalManifests), both(on(installPlans), on(optionalManifests))},
		condition{"and " + value(installPlans) + " " + value(bundlePreviews), both(on(installPlans), on(bundlePreviews))})
}
