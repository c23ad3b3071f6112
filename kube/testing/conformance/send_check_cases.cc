#include <string>
#include <vector>

#include "absl/status/status.h"
#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kSource = "kube/meta/write_options.h (SendCheck)";

// A write without permission fails with the caller's own error, and changes nothing.
void Refused(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  const json::value made = t.Ok("create", t.Create(widgets, ns, Widget(widgets, "a")));
  const absl::Status no = absl::FailedPreconditionError("not any more");
  WriteOptions write;
  write.may_send = [no] { return no; };
  DeleteOptions deletion;
  deletion.may_send = [no] { return no; };
  json::value changed = made;
  Set(changed, "spec.size", 2);
  const json::value patch = {{"spec", {{"size", 3}}}};
  t.True("create", t.Create(widgets, ns, Widget(widgets, "b"), write).status() == no);
  t.True("update", t.Update(widgets, changed, write).status() == no);
  t.True("patch", t.Patch(widgets, {ns, "a"}, patch, PatchType::kJsonMerge, write).status() == no);
  t.True("delete", t.Delete(widgets, {ns, "a"}, deletion).status() == no);
  t.Fails("nothing was made", t.Get(widgets, {ns, "b"}), 404, "NotFound");
  t.True("nothing changed", t.Ok("get", t.Get(widgets, {ns, "a"})) == made);
}

void Permitted(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  WriteOptions write;
  write.may_send = [] { return absl::OkStatus(); };
  DeleteOptions deletion;
  deletion.may_send = write.may_send;
  json::value made = t.Ok("create", t.Create(widgets, ns, Widget(widgets, "a"), write));
  Set(made, "spec.size", 2);
  t.Ok("update", t.Update(widgets, made, write));
  const json::value patch = {{"spec", {{"size", 3}}}};
  const json::value patched =
      t.Ok("patch", t.Patch(widgets, {ns, "a"}, patch, PatchType::kJsonMerge, write));
  t.Eq("it happened", At(patched, "spec.size"), "3");
  t.Ok("delete", t.Delete(widgets, {ns, "a"}, deletion));
  t.Fails("it is gone", t.Get(widgets, {ns, "a"}), 404, "NotFound");
}

}  // namespace

std::vector<Case> SendCheckCases() {
  return {
      {"SendCheck.Refused", kSource, Refused},
      {"SendCheck.Permitted", kSource, Permitted},
  };
}

}  // namespace steward::kube::conformance
