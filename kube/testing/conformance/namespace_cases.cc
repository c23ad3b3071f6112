#include <string>

#include "base/text/str_cat.h"
#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kLifecycle = "Namespaces, design-proposals/architecture/namespaces.md";

void BeginsActive(Trial& t) {
  const std::string name = t.id() + "-new";
  const json::value made = t.Ok("create", t.Create(kNamespaces, "", NamespaceNamed(name)));
  t.Created(kNamespaces, name);
  t.Eq("kind", At(made, "kind"), "Namespace");
  t.Eq("phase", At(made, "status.phase"), "Active");
  t.Eq("finalizers", At(made, "spec.finalizers"), R"(["kubernetes"])");
  t.Eq("label of its name", At(made, {"metadata", "labels", "kubernetes.io/metadata.name"}), name);
  t.Eq("namespace", At(made, "metadata.namespace"), "");
  t.Eq("generation", At(made, "metadata.generation"), "");
}

void NameIsALabel(Trial& t) {
  t.Fails("a dot", t.Create(kNamespaces, "", NamespaceNamed(t.id() + ".x")), 422, "Invalid",
          "metadata.name: Invalid value");
  t.Fails("too long", t.Create(kNamespaces, "", NamespaceNamed(t.id() + std::string(60, 'x'))), 422,
          "Invalid", "must be no more than 63 ");
  t.Fails("none", t.Create(kNamespaces, "", {{"apiVersion", "v1"}, {"kind", "Namespace"}}), 422,
          "Invalid", "name or generateName is required");
}

void DeletionMarks(Trial& t) {
  const NamespacedName name{"", t.id() + "-held"};
  json::value object = NamespaceNamed(name.name);
  Set(object, "metadata.finalizers", json::array{"example.com/f"});
  t.Ok("create", t.Create(kNamespaces, "", object));
  const json::value answer = t.Ok("delete", t.Delete(kNamespaces, name));
  t.Eq("phase", At(answer, "status.phase"), "Terminating");
  t.True("marked", !At(answer, "metadata.deletionTimestamp").empty());
  t.Eq("still there", At(t.Ok("get", t.Get(kNamespaces, name)), "status.phase"), "Terminating");
  t.Ok("let it go", t.Patch(kNamespaces, name, {{"metadata", {{"finalizers", nullptr}}}}));
}

// Neither an update nor a patch changes spec.finalizers. They have a subresource of their own,
// which no client of this project needs.
void FinalizersOfSpecAreFixed(Trial& t) {
  const NamespacedName name{"", t.Namespace()};
  const json::value patched =
      t.Ok("patch", t.Patch(kNamespaces, name, {{"spec", {{"finalizers", json::array()}}}}));
  t.Eq("finalizers", At(patched, "spec.finalizers"), R"(["kubernetes"])");
}

void DeletionRemovesContents(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  t.Ok("create", t.Create(widgets, ns, Widget(widgets, "a")));
  t.Ok("create", t.Create(kConfigMaps, ns, ConfigMap("a")));
  t.Ok("delete", t.Delete(kNamespaces, {"", ns}));
  t.Eventually("the namespace is gone", [&] {
    return absl::IsNotFound(t.Get(kNamespaces, {"", ns}).status());
  });
  t.Fails("widget", t.Get(widgets, {ns, "a"}), 404, "NotFound");
  t.Fails("config map", t.Get(kConfigMaps, {ns, "a"}), 404, "NotFound");
  t.Ok("its name is free", t.Create(kNamespaces, "", NamespaceNamed(ns)));
}

void ContentsHoldTheirNamespace(Trial& t) {
  const std::string ns = t.Namespace();
  const NamespacedName name{ns, "a"};
  const GroupVersionResource& widgets = t.Widgets();
  json::value object = Widget(widgets, "a");
  Set(object, "metadata.finalizers", json::array{"example.com/f"});
  t.Ok("create", t.Create(widgets, ns, object));
  t.Ok("delete", t.Delete(kNamespaces, {"", ns}));
  t.Eventually("its contents are deleted", [&] {
    return !At(t.Ok("get", t.Get(widgets, name)), "metadata.deletionTimestamp").empty();
  });
  t.Eq("the namespace waits", At(t.Ok("get", t.Get(kNamespaces, {"", ns})), "status.phase"),
       "Terminating");
  t.Ok("let it go", t.Patch(widgets, name, {{"metadata", {{"finalizers", nullptr}}}}));
  t.Eventually("the namespace goes", [&] {
    return absl::IsNotFound(t.Get(kNamespaces, {"", ns}).status());
  });
}

}  // namespace

std::vector<Case> NamespaceCases() {
  return {
      {"Namespace.BeginsActive", kLifecycle, BeginsActive},
      {"Namespace.NameIsALabel", "kubernetes pkg/apis/core/validation ValidateNamespaceName",
       NameIsALabel},
      {"Namespace.DeletionMarks", kLifecycle, DeletionMarks},
      {"Namespace.FinalizersOfSpecAreFixed", "kubernetes pkg/registry/core/namespace/strategy.go",
       FinalizersOfSpecAreFixed},
      {"Namespace.DeletionRemovesContents", kLifecycle, DeletionRemovesContents,
       Needs::kControllers},
      {"Namespace.ContentsHoldTheirNamespace", kLifecycle, ContentsHoldTheirNamespace,
       Needs::kControllers},
  };
}

}  // namespace steward::kube::conformance
