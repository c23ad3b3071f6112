#include <string>
#include <vector>

#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

struct Selection {
  const char* selector;
  const char* names;
};

void LabelSelectors(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  const std::vector<std::pair<const char*, json::object>> objects = {
      {"a", {{"color", "red"}, {"size", "5"}}},
      {"b", {{"color", "blue"}, {"size", "12"}}},
      {"c", {{"color", ""}}},
      {"d", {{"example.com/x", "y"}, {"size", "big"}}},
      {"e", {}},
  };
  for (const auto& [name, labels] : objects) {
    json::value widget = Widget(widgets, name);
    Set(widget, "metadata.labels", labels);
    t.Ok(name, t.Create(widgets, options.ns, widget));
  }
  const std::vector<Selection> rows = {
      {"", "a b c d e"},
      {"color=red", "a"},
      {"color==red", "a"},
      {"color=", "c"},
      {"color!=red", "b c d e"},
      {"color in (red,blue)", "a b"},
      {"color in (red, )", "a c"},
      {"color notin (red,blue)", "c d e"},
      {"color", "a b c"},
      {"!color", "d e"},
      {"size>4", "a b"},
      {"size<6", "a"},
      {"example.com/x=y", "d"},
      {"color,size", "a b"},
      {"color,!size", "c"},
      {" color = red , size = 5 ", "a"},
      {"color=red,color=blue", ""},
  };
  for (const Selection& row : rows) {
    options.label_selector = row.selector;
    t.Eq(row.selector, Names(t.Ok(row.selector, t.List(widgets, options)).items), row.names);
  }
}

void BadLabelSelectors(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  for (const char* bad : {"a b", "=", "a in", "a in (b", "a=b=c", "a=b c", "/x", "a=b,,c", "a>b"}) {
    options.label_selector = bad;
    t.Fails(bad, t.List(t.Widgets(), options), 400, "BadRequest");
  }
}

void FieldSelectors(Trial& t) {
  const std::string one = t.Namespace();
  const std::string two = t.Namespace();
  for (const std::string& ns : {one, two}) {
    for (const char* name : {"a", "b"}) {
      t.Ok("create", t.Create(t.OwnWidgets(), ns, Widget(t.OwnWidgets(), name, "l", name)));
      t.Ok("create", t.Create(kConfigMaps, ns, ConfigMap(name)));
    }
  }
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"metadata.name=a", "a a"},
      {"metadata.name==b", "b b"},
      {"metadata.name!=a", "b b"},
      {"metadata.namespace=" + one, "a b"},
      {"metadata.namespace!=" + one, "a b"},
      {"metadata.name=a,metadata.namespace=" + two, "a"},
      {"metadata.name=a,metadata.name=b", ""},
      {"metadata.name=x", ""},
  };
  ListOptions options;
  for (const auto& [selector, names] : rows) {
    options.field_selector = selector;
    t.Eq(selector, Names(t.Ok(selector, t.List(t.OwnWidgets(), options)).items), names);
  }
  options.field_selector = "metadata.name=a";
  options.label_selector = "l=b";
  t.Eq("both selectors", Names(t.Ok("both", t.List(t.OwnWidgets(), options)).items), "");
  options.label_selector = "";
  options.ns = one;
  t.Eq("built-in", Names(t.Ok("built-in", t.List(kConfigMaps, options)).items), "a");
  options = ListOptions();
  options.field_selector = "metadata.name=" + one;
  t.Eq("cluster-scoped", Names(t.Ok("cluster-scoped", t.List(kNamespaces, options)).items), one);
}

void BadFieldSelectors(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  for (const char* bad : {"spec.size=1", "metadata.uid=x", "rubbish"}) {
    options.field_selector = bad;
    t.Fails(bad, t.List(t.Widgets(), options), 400, "BadRequest");
  }
}

}  // namespace

std::vector<Case> SelectorCases() {
  return {
      {"List.LabelSelectors", "Labels and selectors, API", LabelSelectors},
      {"List.BadLabelSelectors", "apimachinery pkg/labels/selector.go", BadLabelSelectors},
      {"List.FieldSelectors", "Field selectors", FieldSelectors},
      {"List.BadFieldSelectors", "Field selectors", BadFieldSelectors},
  };
}

}  // namespace steward::kube::conformance
