#include <string>

#include "base/text/str_cat.h"
#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kConcurrency = "API conventions, Concurrency control and consistency";
constexpr const char* kBeforeUpdate = "apiserver pkg/registry/rest/update.go BeforeUpdate";
constexpr const char* kStatus = "Custom resources, Status subresource";
constexpr const char* kRv = "metadata.resourceVersion";

// Creates a widget and returns it in its state after creation.
json::value Made(Trial& t, const std::string& ns, std::string_view name = "a") {
  return t.Ok("create", t.Create(t.Widgets(), ns, Widget(t.Widgets(), name)));
}

WriteOptions OfStatus() {
  WriteOptions options;
  options.subresource = "status";
  return options;
}

void ChangesAndConflicts(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value made = Made(t, ns);
  json::value changed = made;
  Set(changed, "spec.size", 2);
  const json::value second = t.Ok("update", t.Update(t.Widgets(), changed));
  t.Eq("spec", At(second, "spec"), R"({"size":2})");
  t.True("a newer number", IsNewer(At(second, kRv), At(made, kRv)));
  t.Eq("uid", At(second, "metadata.uid"), At(made, "metadata.uid"));
  t.True("get answers the same", t.Ok("get", t.Get(t.Widgets(), {ns, "a"})) == second);
  t.Fails("from the old state", t.Update(t.Widgets(), changed), 409, "Conflict",
          "the object has been modified; please apply your changes to the latest version and try "
          "again");
  t.True("nothing changed by it", t.Ok("get", t.Get(t.Widgets(), {ns, "a"})) == second);
}

void CustomResourceNeedsResourceVersion(Trial& t) {
  const std::string ns = t.Namespace();
  json::value object = Made(t, ns);
  Remove(object, kRv);
  Set(object, "spec.size", 2);
  t.Fails("update", t.Update(t.Widgets(), object), 422, "Invalid",
          "metadata.resourceVersion: Invalid value: 0: must be specified for an update");
}

void BuiltInKindNeedsNoResourceVersion(Trial& t) {
  const std::string ns = t.Namespace();
  json::value map = t.Ok("create", t.Create(kConfigMaps, ns, ConfigMap("a")));
  Remove(map, kRv);
  Set(map, "data.a", "2");
  t.Eq("data", At(t.Ok("update", t.Update(kConfigMaps, map)), "data.a"), "2");
}

void OtherUidConflicts(Trial& t) {
  const std::string ns = t.Namespace();
  json::value object = Made(t, ns);
  Set(object, "metadata.uid", "11111111-2222-3333-4444-555555555555");
  t.Fails("update", t.Update(t.Widgets(), object), 409, "Conflict", "Precondition failed: UID");
  Remove(object, "metadata.uid");
  Set(object, "spec.size", 2);
  t.Eq("without one", At(t.Ok("update", t.Update(t.Widgets(), object)), "spec.size"), "2");
}

void WithoutChangeKeepsResourceVersion(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value made = Made(t, ns);
  t.True("the same is answered", t.Ok("update", t.Update(t.Widgets(), made)) == made);
  t.Eq("number", At(t.Ok("get", t.Get(t.Widgets(), {ns, "a"})), kRv), At(made, kRv));
}

void GenerationCountsChangesOfSpec(Trial& t) {
  const std::string ns = t.Namespace();
  json::value object = Made(t, ns);
  Set(object, "metadata.labels.l", "v");
  object = t.Ok("label", t.Update(t.Widgets(), object));
  t.Eq("after a label", At(object, "metadata.generation"), "1");
  Set(object, "spec.size", 2);
  object = t.Ok("spec", t.Update(t.Widgets(), object));
  t.Eq("after a change of spec", At(object, "metadata.generation"), "2");
  Set(object, "extra", "x");
  object = t.Ok("extra", t.Update(t.Widgets(), object));
  t.Eq("after a change outside of spec", At(object, "metadata.generation"), "3");
  Set(object, "status.phase", "Done");
  object = t.Ok("status", t.Update(t.Widgets(), object, OfStatus()));
  t.Eq("after a change of status", At(object, "metadata.generation"), "3");
  Set(object, "metadata.generation", 9);
  object = t.Ok("generation", t.Update(t.Widgets(), object));
  t.Eq("after a try to set it", At(object, "metadata.generation"), "3");
}

void IgnoresStatus(Trial& t) {
  const std::string ns = t.Namespace();
  json::value object = Made(t, ns);
  Set(object, "status.phase", "Done");
  const json::value same = t.Ok("update", t.Update(t.Widgets(), object));
  t.Eq("status", At(same, "status"), "");
  t.Eq("number", At(same, kRv), At(object, kRv));
  object = t.Ok("status", t.Update(t.Widgets(), object, OfStatus()));
  Remove(object, "status");
  Set(object, "spec.size", 2);
  const json::value changed = t.Ok("update without status", t.Update(t.Widgets(), object));
  t.Eq("spec", At(changed, "spec.size"), "2");
  t.Eq("status stays", At(changed, "status.phase"), "Done");
}

void StatusChangesOnlyStatus(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value made = Made(t, ns);
  json::value object = made;
  Set(object, "status.phase", "Done");
  Set(object, "spec.size", 2);
  Set(object, "metadata.labels.l", "v");
  Set(object, "metadata.annotations.n", "v");
  Set(object, "metadata.finalizers", json::array{"example.com/f"});
  const json::value changed = t.Ok("update", t.Update(t.Widgets(), object, OfStatus()));
  t.Eq("status", At(changed, "status"), R"({"phase":"Done"})");
  t.Eq("spec", At(changed, "spec"), R"({"size":1})");
  t.Eq("labels", At(changed, "metadata.labels"), "");
  t.Eq("annotations", At(changed, "metadata.annotations"), "");
  t.Eq("finalizers", At(changed, "metadata.finalizers"), "");
  t.True("a newer number", IsNewer(At(changed, kRv), At(made, kRv)));
  t.Fails("from the old state", t.Update(t.Widgets(), object, OfStatus()), 409, "Conflict");
}

// Surprise: a changed creationTimestamp is ignored, a changed deletionTimestamp refused.
void SystemFieldsAreImmutable(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value made = Made(t, ns);
  json::value object = made;
  Set(object, "metadata.creationTimestamp", "2001-02-03T04:05:06Z");
  t.True("creationTimestamp stays", t.Ok("update", t.Update(t.Widgets(), object)) == made);
  object = made;
  Set(object, "metadata.deletionTimestamp", "2001-02-03T04:05:06Z");
  t.Fails(
      "deletionTimestamp", t.Update(t.Widgets(), object), 422, "Invalid",
      "metadata.deletionTimestamp: Invalid value: \"2001-02-03T04:05:06Z\": field is immutable");
  object = made;
  Remove(object, "metadata.creationTimestamp");
  Remove(object, "metadata.generation");
  const json::value same = t.Ok("left out", t.Update(t.Widgets(), object));
  t.Eq("nothing changed", At(same, kRv), At(made, kRv));
  t.True("what was left out is filled in", same == made);
}

void ChecksMetadata(Trial& t) {
  const std::string ns = t.Namespace();
  json::value object = Made(t, ns);
  Set(object, "metadata.labels", {{"a b", "v"}});
  t.Fails("label", t.Update(t.Widgets(), object), 422, "Invalid", "metadata.labels");
}

void MissingObject(Trial& t) {
  const std::string ns = t.Namespace();
  json::value object = Made(t, ns);
  t.Ok("delete", t.Delete(t.Widgets(), {ns, "a"}));
  t.Fails("update", t.Update(t.Widgets(), object), 404, "NotFound",
          StrCat(t.Widgets().GroupResource(), " \"a\" not found"));
  t.Fails("status", t.Update(t.Widgets(), object, OfStatus()), 404, "NotFound");
}

void UnknownSubresource(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value object = Made(t, ns);
  WriteOptions options;
  options.subresource = "rubbish";
  t.Fails("update", t.Update(t.Widgets(), object, options), 404, "NotFound");
}

}  // namespace

std::vector<Case> UpdateCases() {
  return {
      {"Update.ChangesAndConflicts", kConcurrency, ChangesAndConflicts},
      {"Update.CustomResourceNeedsResourceVersion",
       "apiextensions pkg/registry/customresource/strategy.go", CustomResourceNeedsResourceVersion},
      {"Update.BuiltInKindNeedsNoResourceVersion", kConcurrency, BuiltInKindNeedsNoResourceVersion},
      {"Update.OtherUidConflicts", kConcurrency, OtherUidConflicts},
      {"Update.WithoutChangeKeepsResourceVersion", kConcurrency, WithoutChangeKeepsResourceVersion},
      {"Update.GenerationCountsChangesOfSpec", kStatus, GenerationCountsChangesOfSpec},
      {"Update.IgnoresStatus", kStatus, IgnoresStatus},
      {"Update.StatusChangesOnlyStatus", kStatus, StatusChangesOnlyStatus},
      {"Update.SystemFieldsAreImmutable", kBeforeUpdate, SystemFieldsAreImmutable},
      {"Update.ChecksMetadata", kBeforeUpdate, ChecksMetadata},
      {"Update.MissingObject", "API conventions, HTTP status codes", MissingObject},
      {"Update.UnknownSubresource", "API conventions, HTTP status codes", UnknownSubresource},
  };
}

}  // namespace steward::kube::conformance
