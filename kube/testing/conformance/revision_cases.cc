#include <string>

#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kComparable = "KEP-5504 (comparable resource versions)";
constexpr const char* kRv = "metadata.resourceVersion";

// Kubernetes promises an order within one resource only; etcd's single counter orders all
// resources, and so does every kube::Client.
void OneCounterForAllKinds(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  std::string last = At(t.Ok("namespace", t.Get(kNamespaces, {"", ns})), kRv);
  const auto newer = [&](const char* what, const json::value& object) {
    t.True(what, IsNewer(At(object, kRv), last));
    last = At(object, kRv);
  };
  newer("widget", t.Ok("create", t.Create(widgets, ns, Widget(widgets, "a"))));
  newer("config map", t.Ok("create", t.Create(kConfigMaps, ns, ConfigMap("a"))));
  newer("widget", t.Ok("change", t.Patch(widgets, {ns, "a"}, {{"spec", {{"size", 2}}}})));
  newer("namespace",
        t.Ok("change", t.Patch(kNamespaces, {"", ns}, {{"metadata", {{"labels", {{"l", "v"}}}}}})));
  newer("config map", t.Ok("change", t.Patch(kConfigMaps, {ns, "a"}, {{"data", {{"a", "2"}}}})));
}

// The resourceVersion of a list covers all writes before it, also those of other kinds.
void ListsCoverWritesOfOtherKinds(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  const json::value map = t.Ok("create", t.Create(kConfigMaps, options.ns, ConfigMap("a")));
  t.True("list of widgets",
         !IsNewer(At(map, kRv), t.Ok("list", t.List(widgets, options)).resource_version));
  const json::value widget = t.Ok("create", t.Create(widgets, options.ns, Widget(widgets, "a")));
  t.True("list of config maps",
         !IsNewer(At(widget, kRv), t.Ok("list", t.List(kConfigMaps, options)).resource_version));
}

}  // namespace

std::vector<Case> RevisionCases() {
  return {
      {"Revision.OneCounterForAllKinds", kComparable, OneCounterForAllKinds},
      {"Revision.ListsCoverWritesOfOtherKinds", kComparable, ListsCoverWritesOfOtherKinds},
  };
}

}  // namespace steward::kube::conformance
