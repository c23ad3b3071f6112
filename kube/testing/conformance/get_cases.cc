#include <string>

#include "base/text/str_cat.h"
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

}  // namespace

std::vector<Case> GetCases() {
  return {
      {"Get.AnswersWhatWasWritten", "API concepts, Retrieving resources", AnswersWhatWasWritten},
      {"Get.MissingObject", kCodes, MissingObject},
      {"Get.UnknownNamespace", kCodes, UnknownNamespace},
      {"Get.UnknownResource", kCodes, UnknownResource},
  };
}

}  // namespace steward::kube::conformance
