#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kCodes = "API conventions, HTTP status codes";

void AnswersWhatWasWritten(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value made =
      t.Ok("create", t.Create(t.Widgets(), ns, Widget(t.Widgets(), "a", "l", "v")));
  t.True("get answers what create did", t.Ok("get", t.Get(t.Widgets(), {ns, "a"})) == made);
  const json::value map = t.Ok("create a built-in", t.Create(kConfigMaps, ns, ConfigMap("a")));
  t.True("and of a built-in", t.Ok("get", t.Get(kConfigMaps, {ns, "a"})) == map);
}

void MissingObject(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  t.Ok("create another", t.Create(widgets, ns, Widget(widgets, "b")));
  const Answer answer = t.Get(widgets, {ns, "a"});
  t.Fails("custom resource", answer, 404, "NotFound",
          StrCat(widgets.GroupResource(), " \"a\" not found"));
  const Status said = answer.ok() ? Status{} : FromStatus(answer.status());
  t.Eq("details.name", said.name, "a");
  t.Eq("details.group", said.group, widgets.group);
  t.Eq("details.kind", said.kind, "widgets");
  t.Fails("built-in", t.Get(kConfigMaps, {ns, "a"}), 404, "NotFound", "configmaps \"a\" not found");
  t.Fails("cluster-scoped", t.Get(kNamespaces, {"", ns + "-x"}), 404, "NotFound",
          StrCat("namespaces \"", ns, "-x\" not found"));
}

// The error names the missing object, not the missing namespace.
void UnknownNamespace(Trial& t) {
  t.Fails("get", t.Get(t.Widgets(), {t.id() + "-x", "a"}), 404, "NotFound",
          StrCat(t.Widgets().GroupResource(), " \"a\" not found"));
}

void UnknownResource(Trial& t) {
  const std::string ns = t.Namespace();
  const std::string& group = t.Widgets().group;
  t.Fails("resource", t.Get({group, "v1", "gadgets"}, {ns, "a"}), 404, "NotFound");
  t.Fails("version", t.Get({group, "v9", "widgets"}, {ns, "a"}), 404, "NotFound");
  t.Fails("group", t.Get({t.id() + ".nowhere.example.com", "v1", "widgets"}, {ns, "a"}), 404,
          "NotFound");
}

void Discovery(Trial& t) {
  const auto tells = [&t](const GroupVersion& gv, std::string_view kind, bool namespaced) {
    const absl::StatusOr<std::vector<ApiResource>> resources = t.Discover(gv);
    t.True(StrCat(gv.ApiVersion(), " is served"), resources.ok());
    if (!resources.ok()) return;
    const auto found = std::find_if(resources->begin(), resources->end(),
                                    [kind](const ApiResource& r) { return r.kind == kind; });
    t.True(StrCat(kind, " is served"), found != resources->end());
    if (found == resources->end()) return;
    t.True(StrCat("the scope of ", kind), found->namespaced == namespaced);
    for (const char* verb : {"create", "delete", "get", "list", "patch", "update", "watch"}) {
      t.True(StrCat(kind, " can ", verb),
             std::find(found->verbs.begin(), found->verbs.end(), verb) != found->verbs.end());
    }
  };
  tells({"", "v1"}, "ConfigMap", true);
  tells({"", "v1"}, "Namespace", false);
  tells({"apiextensions.k8s.io", "v1"}, "CustomResourceDefinition", false);
  t.Define(Definition(t.id() + ".example.com", "Thing", {"v1"}, /*namespaced=*/false));
  t.Eventually("a new definition's kind is served", [&t] {
    const auto resources = t.Discover({t.id() + ".example.com", "v1"});
    return resources.ok() && resources->size() == 1 && !resources->front().namespaced;
  });
  for (const GroupVersion& absent :
       {GroupVersion{t.id() + ".example.com", "v9"},
        GroupVersion{t.id() + ".nowhere.example.com", "v1"}, GroupVersion{"", "v9"}}) {
    t.True(StrCat(absent.ApiVersion(), " is not served"), IsNotServed(t.Discover(absent).status()));
  }
  const absl::StatusOr<std::vector<GroupVersion>> groups = t.DiscoverGroups();
  t.True("the groups are listed", groups.ok());
  if (!groups.ok()) return;
  for (const GroupVersion& served :
       {GroupVersion{"", "v1"}, GroupVersion{"apiextensions.k8s.io", "v1"},
        GroupVersion{t.id() + ".example.com", "v1"}}) {
    t.True(StrCat(served.ApiVersion(), " is listed"),
           std::find(groups->begin(), groups->end(), served) != groups->end());
  }
}

}  // namespace

std::vector<Case> GetCases() {
  return {
      {"Get.AnswersWhatWasWritten", "API concepts, Retrieving resources", AnswersWhatWasWritten},
      {"Get.MissingObject", kCodes, MissingObject},
      {"Get.UnknownNamespace", kCodes, UnknownNamespace},
      {"Get.UnknownResource", kCodes, UnknownResource},
      {"Get.Discovery", "API concepts, Discovery API", Discovery},
  };
}

}  // namespace steward::kube::conformance
