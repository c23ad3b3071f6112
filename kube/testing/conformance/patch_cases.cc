#include <string>

#include "base/text/str_cat.h"
#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kMerge = "RFC 7396";
constexpr const char* kPatch = "API concepts, Patches";
constexpr const char* kStrategic = "Strategic merge patch, sig-api-machinery";
constexpr const char* kRv = "metadata.resourceVersion";

json::value Made(Trial& t, const std::string& ns) {
  return t.Ok("create", t.Create(t.Widgets(), ns, Widget(t.Widgets(), "a")));
}

WriteOptions OfStatus() {
  WriteOptions options;
  options.subresource = "status";
  return options;
}

void Merges(Trial& t) {
  const std::string ns = t.Namespace();
  json::value asked = Widget(t.Widgets(), "a", "l", "v");
  Set(asked, "spec", {{"keep", 1}, {"drop", 2}, {"list", {1, 2, 3}}, {"deep", {{"x", 1}}}});
  const json::value made = t.Ok("create", t.Create(t.Widgets(), ns, asked));
  const json::value patch = {
      {"metadata", {{"labels", {{"m", "w"}}}}},
      {"spec",
       {{"drop", nullptr}, {"list", {4}}, {"deep", {{"y", 2}}}, {"new", {{"z", json::object()}}}}}};
  const json::value patched = t.Ok("patch", t.Patch(t.Widgets(), {ns, "a"}, patch));
  t.Eq("keep", At(patched, "spec.keep"), "1");
  t.Eq("drop", At(patched, "spec.drop"), "");
  t.Eq("list", At(patched, "spec.list"), "[4]");
  t.Eq("deep", At(patched, "spec.deep"), R"({"x":1,"y":2})");
  t.Eq("labels", At(patched, "metadata.labels"), R"({"l":"v","m":"w"})");
  t.Eq("generation", At(patched, "metadata.generation"), "2");
  t.True("a newer number", IsNewer(At(patched, kRv), At(made, kRv)));
  t.True("get answers the same", t.Ok("get", t.Get(t.Widgets(), {ns, "a"})) == patched);
}

void StatusOnly(Trial& t) {
  const std::string ns = t.Namespace();
  Made(t, ns);
  const json::value patch = {{"metadata", {{"labels", {{"l", "v"}}}}},
                             {"spec", {{"size", 2}}},
                             {"status", {{"phase", "Done"}}}};
  const json::value of_status =
      t.Ok("status", t.Patch(t.Widgets(), {ns, "a"}, patch, PatchType::kJsonMerge, OfStatus()));
  t.Eq("status", At(of_status, "status.phase"), "Done");
  t.Eq("spec", At(of_status, "spec.size"), "1");
  t.Eq("labels", At(of_status, "metadata.labels"), "");
  t.Eq("generation", At(of_status, "metadata.generation"), "1");
  const json::value other = {{"spec", {{"size", 3}}}, {"status", {{"phase", "Undone"}}}};
  const json::value of_main = t.Ok("main", t.Patch(t.Widgets(), {ns, "a"}, other));
  t.Eq("status", At(of_main, "status.phase"), "Done");
  t.Eq("spec", At(of_main, "spec.size"), "3");
}

void Preconditions(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value made = Made(t, ns);
  const auto patch = [&](const char* field, std::string_view value, int size) {
    json::value body = {{"spec", {{"size", size}}}};
    SetText(body, StrCat("metadata.", field), value);
    return t.Patch(t.Widgets(), {ns, "a"}, body);
  };
  const std::string uid = At(made, "metadata.uid");
  const std::string number = At(made, kRv);
  t.Eq("its uid", At(t.Ok("uid", patch("uid", uid, 2)), "spec.size"), "2");
  // Surprise: an update with a wrong uid is a conflict, a patch is invalid.
  t.Fails("another uid", patch("uid", "11111111-2222-3333-4444-555555555555", 3), 422, "Invalid",
          "metadata.uid: Invalid value: \"11111111-2222-3333-4444-555555555555\": field is "
          "immutable");
  t.Fails("an old number", patch("resourceVersion", number, 4), 409, "Conflict",
          "the object has been modified");
  const json::value now = t.Ok("get", t.Get(t.Widgets(), {ns, "a"}));
  t.Eq("nothing changed", At(now, "spec.size"), "2");
  t.Eq("its number", At(t.Ok("number", patch("resourceVersion", At(now, kRv), 5)), "spec.size"),
       "5");
}

void WithoutChangeKeepsResourceVersion(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value made = Made(t, ns);
  t.True("empty", t.Ok("empty", t.Patch(t.Widgets(), {ns, "a"}, json::object())) == made);
  const json::value same = {{"spec", {{"size", 1}, {"x", nullptr}}}};
  t.True("the same", t.Ok("same", t.Patch(t.Widgets(), {ns, "a"}, same)) == made);
}

void Refusals(Trial& t) {
  const std::string ns = t.Namespace();
  Made(t, ns);
  const json::value patch = {{"spec", {{"size", 2}}}};
  t.Fails("missing object", t.Patch(t.Widgets(), {ns, "b"}, patch), 404, "NotFound",
          StrCat(t.Widgets().GroupResource(), " \"b\" not found"));
  t.Fails("another name", t.Patch(t.Widgets(), {ns, "a"}, {{"metadata", {{"name", "b"}}}}), 400,
          "BadRequest", "the name of the object (b) does not match the name on the URL (a)");
  t.Fails("another namespace",
          t.Patch(t.Widgets(), {ns, "a"}, {{"metadata", {{"namespace", "x"}}}}), 400, "BadRequest",
          "does not match the namespace");
  t.Fails("a bad label",
          t.Patch(t.Widgets(), {ns, "a"}, {{"metadata", {{"labels", {{"a b", "c"}}}}}}), 422,
          "Invalid", "metadata.labels");
  t.Fails("no object", t.Patch(t.Widgets(), {ns, "a"}, json::array{1}), 400, "BadRequest");
}

void StrategicMergeIsNotForCustomResources(Trial& t) {
  const std::string ns = t.Namespace();
  Made(t, ns);
  t.Fails("patch",
          t.Patch(t.Widgets(), {ns, "a"}, {{"spec", {{"size", 2}}}}, PatchType::kStrategicMerge),
          415, "UnsupportedMediaType");
}

void StrategicMergeOfLabels(Trial& t) {
  const NamespacedName name{"", t.Namespace()};
  const auto patch = [&](const json::value& body) {
    return t.Ok("patch", t.Patch(kNamespaces, name, body, PatchType::kStrategicMerge));
  };
  json::value ns = patch({{"metadata", {{"labels", {{"a", "1"}, {"b", "2"}}}}}});
  t.Eq("a", At(ns, "metadata.labels.a"), "1");
  ns = patch({{"metadata", {{"labels", {{"a", nullptr}, {"c", "3"}}}}}});
  t.Eq("a", At(ns, "metadata.labels.a"), "");
  t.Eq("b", At(ns, "metadata.labels.b"), "2");
  t.Eq("c", At(ns, "metadata.labels.c"), "3");
  const json::value same = patch({{"metadata", {{"labels", {{"c", "3"}}}}}});
  t.Eq("no change keeps the number", At(same, kRv), At(ns, kRv));
  ns = patch({{"metadata", {{"labels", {{"$patch", "replace"}, {"d", "4"}}}}}});
  t.Eq("replaced", At(ns, "metadata.labels.b"), "");
  t.Eq("d", At(ns, "metadata.labels.d"), "4");
}

// Strategic merge treats finalizers as a set: a patch adds to it and puts its own entries first.
void StrategicMergeOfFinalizers(Trial& t) {
  const NamespacedName name{"", t.Namespace()};
  const auto patch = [&](const json::value& metadata) {
    const json::value ns = t.Ok(
        "patch", t.Patch(kNamespaces, name, {{"metadata", metadata}}, PatchType::kStrategicMerge));
    return At(ns, "metadata.finalizers");
  };
  t.Eq("added", patch({{"finalizers", {"example.com/a"}}}), R"(["example.com/a"])");
  t.Eq("added once", patch({{"finalizers", {"example.com/b", "example.com/a"}}}),
       R"(["example.com/b","example.com/a"])");
  t.Eq("taken away", patch({{"$deleteFromPrimitiveList/finalizers", {"example.com/a"}}}),
       R"(["example.com/b"])");
  t.Eq("emptied", patch({{"finalizers", nullptr}}), "");
}

void JsonPatch(Trial& t) {
  const std::string ns = t.Namespace();
  Made(t, ns);
  const json::value patch = {{{"op", "test"}, {"path", "/spec/size"}, {"value", 1}},
                             {{"op", "replace"}, {"path", "/spec/size"}, {"value", 2}},
                             {{"op", "add"}, {"path", "/spec/new"}, {"value", {1}}}};
  const json::value patched =
      t.Ok("patch", t.Patch(t.Widgets(), {ns, "a"}, patch, PatchType::kJson));
  t.Eq("spec", At(patched, "spec.size"), "2");
  t.Eq("new", At(patched, "spec.new"), "[1]");
  t.Fails("a test that fails", t.Patch(t.Widgets(), {ns, "a"}, patch, PatchType::kJson), 422,
          "Invalid");
}

void Apply(Trial& t) {
  const std::string ns = t.Namespace();
  WriteOptions options;
  options.field_manager = "conformance";
  const auto apply = [&](const json::value& object) {
    return t.Ok("apply", t.Patch(t.Widgets(), {ns, "a"}, object, PatchType::kApply, options));
  };
  json::value object = Widget(t.Widgets(), "a", "l", "v");
  t.Eq("creates", At(apply(object), "spec.size"), "1");
  Remove(object, "metadata.labels");
  Set(object, "spec.size", 2);
  const json::value applied = apply(object);
  t.Eq("changes", At(applied, "spec.size"), "2");
  t.Eq("takes away", At(applied, "metadata.labels"), "");
}

}  // namespace

std::vector<Case> PatchCases() {
  return {
      {"Patch.Merges", kMerge, Merges},
      {"Patch.StatusOnly", "Custom resources, Status subresource", StatusOnly},
      {"Patch.Preconditions", kPatch, Preconditions},
      {"Patch.WithoutChangeKeepsResourceVersion", kPatch, WithoutChangeKeepsResourceVersion},
      {"Patch.Refusals", kPatch, Refusals},
      {"Patch.StrategicMergeIsNotForCustomResources", "Custom resources, Feature support",
       StrategicMergeIsNotForCustomResources},
      {"Patch.StrategicMergeOfLabels", kStrategic, StrategicMergeOfLabels},
      {"Patch.StrategicMergeOfFinalizers", kStrategic, StrategicMergeOfFinalizers},
      {"Patch.JsonPatch", "RFC 6902", JsonPatch},
      {"Patch.Apply", "KEP-555 (server-side apply)", Apply},
  };
}

}  // namespace steward::kube::conformance
