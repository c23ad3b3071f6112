#include <string>

#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kDryRun = "KEP-576 (dry run)";
constexpr const char* kRv = "metadata.resourceVersion";

WriteOptions Dry() {
  WriteOptions options;
  options.dry_run = true;
  return options;
}

void OfCreate(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  const json::value answer = t.Ok("create", t.Create(widgets, ns, Widget(widgets, "a"), Dry()));
  t.Eq("answer", At(answer, "spec"), R"({"size":1})");
  t.True("answer has a uid", !At(answer, "metadata.uid").empty());
  t.Fails("nothing was made", t.Get(widgets, {ns, "a"}), 404, "NotFound");
  t.Ok("make it", t.Create(widgets, ns, Widget(widgets, "a")));
  t.Fails("again", t.Create(widgets, ns, Widget(widgets, "a"), Dry()), 409, "AlreadyExists");
  t.Fails("what is refused", t.Create(widgets, ns, Widget(widgets, "A_b"), Dry()), 422, "Invalid");
}

void OfUpdateAndPatch(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  const json::value made = t.Ok("create", t.Create(widgets, ns, Widget(widgets, "a")));
  json::value changed = made;
  Set(changed, "spec.size", 2);
  const json::value updated = t.Ok("update", t.Update(widgets, changed, Dry()));
  t.Eq("answer of the update", At(updated, "spec.size"), "2");
  t.Eq("its generation", At(updated, "metadata.generation"), "2");
  const json::value patch = {{"spec", {{"size", 3}}}};
  const json::value patched =
      t.Ok("patch", t.Patch(widgets, {ns, "a"}, patch, PatchType::kJsonMerge, Dry()));
  t.Eq("answer of the patch", At(patched, "spec.size"), "3");
  WriteOptions status = Dry();
  status.subresource = "status";
  Set(changed, "status.phase", "Done");
  t.Eq("answer of the status",
       At(t.Ok("status", t.Update(widgets, changed, status)), "status.phase"), "Done");
  t.True("nothing changed", t.Ok("get", t.Get(widgets, {ns, "a"})) == made);
  Set(changed, kRv, "1");
  t.Fails("a conflict", t.Update(widgets, changed, Dry()), 409, "Conflict");
}

void OfDelete(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  const json::value made = t.Ok("create", t.Create(widgets, ns, Widget(widgets, "a")));
  DeleteOptions options;
  options.dry_run = true;
  t.Ok("delete", t.Delete(widgets, {ns, "a"}, options));
  t.True("nothing changed", t.Ok("get", t.Get(widgets, {ns, "a"})) == made);
  options.uid = "11111111-2222-3333-4444-555555555555";
  t.Fails("another's uid", t.Delete(widgets, {ns, "a"}, options), 409, "Conflict");
  options.uid = "";
  t.Fails("missing", t.Delete(widgets, {ns, "b"}, options), 404, "NotFound");

  json::value held = Widget(widgets, "held");
  Set(held, "metadata.finalizers", json::array{"example.com/f"});
  held = t.Ok("create", t.Create(widgets, ns, held));
  t.Ok("delete", t.Delete(widgets, {ns, "held"}, options));
  t.True("not even marked", t.Ok("get", t.Get(widgets, {ns, "held"})) == held);
  Remove(held, "metadata.finalizers");
  t.Ok("let it go", t.Update(widgets, held));
}

}  // namespace

std::vector<Case> DryRunCases() {
  return {
      {"DryRun.OfCreate", kDryRun, OfCreate},
      {"DryRun.OfUpdateAndPatch", kDryRun, OfUpdateAndPatch},
      {"DryRun.OfDelete", kDryRun, OfDelete},
  };
}

}  // namespace steward::kube::conformance
