#include <memory>
#include <string>

#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kDefinitionsPage = "Extend the API with CustomResourceDefinitions";
constexpr const char* kVersionsPage = "Versions in CustomResourceDefinitions";

std::string Group(const Trial& t) { return t.id() + ".example.com"; }

// Returns the status of the condition of this type.
std::string Condition(const json::value& definition, std::string_view type) {
  const json::value* status =
      definition.is_object() ? definition.as_object().if_contains("status") : nullptr;
  const json::value* all =
      status && status->is_object() ? status->as_object().if_contains("conditions") : nullptr;
  if (all == nullptr || !all->is_array()) return "";
  for (const json::value& condition : all->as_array()) {
    if (At(condition, "type") == type) return At(condition, "status");
  }
  return "";
}

void IsServedSoon(Trial& t) {
  const GroupVersionResource gadgets{Group(t), "v1", "gadgets"};
  const NamespacedName name{"", "gadgets." + gadgets.group};
  t.Fails("before", t.List(gadgets, ListOptions()), 404, "NotFound");
  t.Define(Definition(gadgets.group, "Gadget", {"v1"}));
  t.Eventually("is established", [&] {
    const json::value definition = t.Ok("get", t.Get(kDefinitions, name));
    return Condition(definition, "NamesAccepted") == "True" &&
           Condition(definition, "Established") == "True";
  });
  const json::value definition = t.Ok("get", t.Get(kDefinitions, name));
  t.Eq("accepted names", At(definition, "status.acceptedNames.plural"), "gadgets");
  t.Eq("accepted kind", At(definition, "status.acceptedNames.kind"), "Gadget");
  t.Eq("stored versions", At(definition, "status.storedVersions"), R"(["v1"])");
  json::value gadget = Widget(gadgets, "a");
  Set(gadget, "kind", "Gadget");
  const std::string ns = t.Namespace();
  t.Eq("an object", At(t.Ok("create", t.Create(gadgets, ns, gadget)), "kind"), "Gadget");
}

void DeletionTakesObjectsAlong(Trial& t) {
  const GroupVersionResource& widgets = t.OwnWidgets();
  const NamespacedName name{"", widgets.GroupResource()};
  const std::string ns = t.Namespace();
  t.Ok("create", t.Create(widgets, ns, Widget(widgets, "a")));
  t.Ok("delete", t.Delete(kDefinitions, name));
  t.Eventually("the definition is gone",
               [&] { return absl::IsNotFound(t.Get(kDefinitions, name).status()); });
  t.Eventually("so is the resource",
               [&] { return absl::IsNotFound(t.List(widgets, ListOptions()).status()); });
  t.Fails("its objects", t.Get(widgets, {ns, "a"}), 404, "NotFound");
  t.Define(Definition(widgets.group, "Widget", {"v1"}));
  t.Eq("made anew it is empty", Names(t.Ok("list", t.List(widgets, ListOptions())).items), "");
}

// Creates a widget with a finalizer and deletes its definition, which then waits for the widget.
NamespacedName WidgetThatHolds(Trial& t) {
  const GroupVersionResource& widgets = t.OwnWidgets();
  const NamespacedName name{t.Namespace(), "a"};
  json::value object = Widget(widgets, "a");
  Set(object, "metadata.finalizers", json::array{"example.com/f"});
  t.Ok("create", t.Create(widgets, name.ns, object));
  t.Ok("delete", t.Delete(kDefinitions, {"", widgets.GroupResource()}));
  return name;
}

void LetGo(Trial& t, const NamespacedName& name) {
  const GroupVersionResource& widgets = t.OwnWidgets();
  t.Ok("let it go", t.Patch(widgets, name, {{"metadata", {{"finalizers", nullptr}}}}));
  t.Eventually("the definition goes", [&] {
    return absl::IsNotFound(t.Get(kDefinitions, {"", widgets.GroupResource()}).status());
  });
}

void ObjectsHoldTheirDefinition(Trial& t) {
  const NamespacedName name = WidgetThatHolds(t);
  t.Eventually("the object is deleted", [&] {
    return !At(t.Ok("get", t.Get(t.OwnWidgets(), name)), "metadata.deletionTimestamp").empty();
  });
  t.Ok("the definition waits", t.Get(kDefinitions, {"", t.OwnWidgets().GroupResource()}));
  LetGo(t, name);
}

void SaysThatItEnds(Trial& t) {
  const NamespacedName name = WidgetThatHolds(t);
  const NamespacedName definition{"", t.OwnWidgets().GroupResource()};
  t.Eventually("a condition", [&] {
    return Condition(t.Ok("get", t.Get(kDefinitions, definition)), "Terminating") == "True";
  });
  LetGo(t, name);
}

void NothingNewWhileItEnds(Trial& t) {
  const NamespacedName name = WidgetThatHolds(t);
  const GroupVersionResource& widgets = t.OwnWidgets();
  // Surprise: the server's handlers learn of the deletion a moment later.
  absl::Status refusal;
  t.Eventually("a create is refused", [&] {
    json::value another = Widget(widgets, "x");
    Remove(another, "metadata.name");
    Set(another, "metadata.generateName", "x-");
    refusal = t.Create(widgets, name.ns, another).status();
    return !refusal.ok();
  });
  t.Fails("create", refusal, 403, "Forbidden",
          "create not allowed while custom resource definition is terminating");
  LetGo(t, name);
}

void VersionsShareObjects(Trial& t) {
  const std::string group = Group(t);
  const GroupVersionResource v1{group, "v1", "widgets"};
  const GroupVersionResource v2{group, "v2", "widgets"};
  t.Define(Definition(group, "Widget", {"v1", "v2"}));
  const std::string ns = t.Namespace();
  WatchOptions options;
  options.ns = ns;
  options.resource_version = t.Ok("list", t.List(v2, ListOptions())).resource_version;
  const std::unique_ptr<Watch> watch = t.StartWatch(v2, options);

  const json::value made = t.Ok("create", t.Create(v1, ns, Widget(v1, "a")));
  const json::value other = t.Ok("get", t.Get(v2, {ns, "a"}));
  t.Eq("apiVersion of the first", At(made, "apiVersion"), group + "/v1");
  t.Eq("apiVersion of the second", At(other, "apiVersion"), group + "/v2");
  for (const char* path : {"metadata.uid", "metadata.resourceVersion", "spec"}) {
    t.Eq(path, At(other, path), At(made, path));
  }
  json::value changed = other;
  Set(changed, "spec.size", 2);
  t.Ok("change as the second", t.Update(v2, changed));
  t.Eq("seen as the first", At(t.Ok("get", t.Get(v1, {ns, "a"})), "spec.size"), "2");
  t.Fails("the first's state is old", t.Update(v1, made), 409, "Conflict");
  t.Eq("told as the second", At(t.Told("create", t.Next(watch), "ADDED", "a"), "apiVersion"),
       group + "/v2");
  t.Told("change", t.Next(watch), "MODIFIED", "a");
  t.Ok("delete as the first", t.Delete(v1, {ns, "a"}));
  t.Eq("told too", At(t.Told("delete", t.Next(watch), "DELETED", "a"), "apiVersion"),
       group + "/v2");
}

void UnservedVersion(Trial& t) {
  const std::string group = Group(t);
  json::value definition = Definition(group, "Widget", {"v1", "v2"});
  definition.at("spec").at("versions").at(1).as_object()["served"] = false;
  t.Ok("create", t.Create(kDefinitions, "", definition));
  t.Created(kDefinitions, "widgets." + group);
  t.Eventually("the first is served", [&] {
    return t.List({group, "v1", "widgets"}, ListOptions()).ok();
  });
  t.Fails("the second is not", t.List({group, "v2", "widgets"}, ListOptions()), 404, "NotFound");
  t.Ok("serve it",
       t.Patch(kDefinitions, {"", "widgets." + group}, Definition(group, "Widget", {"v1", "v2"})));
  t.Eventually("now it is", [&] { return t.List({group, "v2", "widgets"}, ListOptions()).ok(); });
}

void ClusterScoped(Trial& t) {
  const GroupVersionResource widgets{Group(t), "v1", "widgets"};
  t.Define(Definition(widgets.group, "Widget", {"v1"}, /*namespaced=*/false));
  const json::value made = t.Ok("create", t.Create(widgets, "", Widget(widgets, "a")));
  t.Eq("namespace", At(made, "metadata.namespace"), "");
  t.True("get", t.Ok("get", t.Get(widgets, {"", "a"})) == made);
  t.Eq("list", Names(t.Ok("list", t.List(widgets, ListOptions())).items), "a");
  const std::string ns = t.Namespace();
  t.Fails("in a namespace", t.Get(widgets, {ns, "a"}), 404, "NotFound");
  t.Ok("delete", t.Delete(widgets, {"", "a"}));
}

void NamespacedNeedsANamespace(Trial& t) {
  // Surprise: 405 for the collection of a built-in kind, 404 (no such page) for that of a custom
  // one.
  t.Fails("create", t.Create(t.Widgets(), "", Widget(t.Widgets(), "a")), 404, "NotFound");
  t.Fails("get", t.Get(t.Widgets(), {"", "a"}), 404, "NotFound");
  t.Fails("create a built-in", t.Create(kConfigMaps, "", ConfigMap("a")), 405, "MethodNotAllowed");
}

void ChecksDefinitions(Trial& t) {
  const std::string group = Group(t);
  json::value name = Definition(group, "Widget", {"v1"});
  SetText(name, "metadata.name", "gadgets." + group);
  t.Fails("its name", t.Create(kDefinitions, "", name), 422, "Invalid", "metadata.name");
  json::value stored = Definition(group, "Widget", {"v1", "v2"});
  stored.at("spec").at("versions").at(1).as_object()["storage"] = true;
  t.Fails("two stored versions", t.Create(kDefinitions, "", stored), 422, "Invalid",
          "must have exactly one version marked as storage version");
  json::value scope = Definition(group, "Widget", {"v1"});
  Set(scope, "spec.scope", "Everywhere");
  t.Fails("its scope", t.Create(kDefinitions, "", scope), 422, "Invalid", "spec.scope");
}

}  // namespace

std::vector<Case> DefinitionCases() {
  return {
      {"Definition.IsServedSoon", kDefinitionsPage, IsServedSoon},
      {"Definition.DeletionTakesObjectsAlong", kDefinitionsPage, DeletionTakesObjectsAlong},
      {"Definition.ObjectsHoldTheirDefinition", "apiextensions pkg/controller/finalizer",
       ObjectsHoldTheirDefinition},
      {"Definition.SaysThatItEnds", "apiextensions pkg/controller/finalizer", SaysThatItEnds},
      {"Definition.NothingNewWhileItEnds", "apiextensions pkg/apiserver/customresource_handler.go",
       NothingNewWhileItEnds},
      {"Definition.VersionsShareObjects", kVersionsPage, VersionsShareObjects},
      {"Definition.UnservedVersion", kVersionsPage, UnservedVersion},
      {"Definition.ClusterScoped", kDefinitionsPage, ClusterScoped},
      {"Definition.NamespacedNeedsANamespace", "API conventions, HTTP status codes",
       NamespacedNeedsANamespace},
      {"Definition.ChecksDefinitions", kDefinitionsPage, ChecksDefinitions},
  };
}

}  // namespace steward::kube::conformance
