#include <string>

#include "base/text/str_cat.h"
#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kPreconditions = "API conventions, Concurrency control and consistency";
constexpr const char* kFinalizers = "Finalizers";
constexpr const char* kRv = "metadata.resourceVersion";
constexpr const char* kUid = "metadata.uid";
constexpr const char* kDeletion = "metadata.deletionTimestamp";

json::value Held(Trial& t, const std::string& ns, std::string_view name) {
  json::value object = Widget(t.Widgets(), name);
  Set(object, "metadata.finalizers", json::array{"example.com/f"});
  return t.Ok("create", t.Create(t.Widgets(), ns, object));
}

void LetGo(Trial& t, const NamespacedName& name) {
  t.Ok("let it go", t.Patch(t.Widgets(), name, {{"metadata", {{"finalizers", nullptr}}}}));
}

void IsGoneAfter(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  const json::value made = t.Ok("create", t.Create(widgets, ns, Widget(widgets, "a")));
  t.Ok("delete", t.Delete(widgets, {ns, "a"}));
  t.Fails("get", t.Get(widgets, {ns, "a"}), 404, "NotFound");
  t.Fails("again", t.Delete(widgets, {ns, "a"}), 404, "NotFound",
          StrCat(widgets.GroupResource(), " \"a\" not found"));
  const json::value second = t.Ok("make it anew", t.Create(widgets, ns, Widget(widgets, "a")));
  t.True("with another uid", At(second, kUid) != At(made, kUid));
  t.True("and a newer number", IsNewer(At(second, kRv), At(made, kRv)));
}

void Preconditions(Trial& t) {
  const std::string ns = t.Namespace();
  const std::string elsewhere = "11111111-2222-3333-4444-555555555555";
  for (const char* name : {"plain", "held"}) {
    const bool held = *name == 'h';
    const json::value made =
        held ? Held(t, ns, name)
             : t.Ok("create", t.Create(t.Widgets(), ns, Widget(t.Widgets(), name)));
    DeleteOptions other;
    other.uid = elsewhere;
    t.Fails(
        "another uid", t.Delete(t.Widgets(), {ns, name}, other), 409, "Conflict",
        StrCat("the UID in the precondition (", elsewhere, ") does not match the UID in record (",
               At(made, kUid), "). The object might have been deleted and then recreated"));
    const json::value now =
        t.Ok("change", t.Patch(t.Widgets(), {ns, name}, {{"spec", {{"size", 2}}}}));
    DeleteOptions old;
    old.resource_version = At(made, kRv);
    t.Fails("an old number", t.Delete(t.Widgets(), {ns, name}, old), 409, "Conflict",
            StrCat("the ResourceVersion in the precondition (", At(made, kRv),
                   ") does not match the ResourceVersion in record (", At(now, kRv),
                   "). The object might have been modified"));
    t.True("it is still there", t.Ok("get", t.Get(t.Widgets(), {ns, name})) == now);
    DeleteOptions right;
    right.uid = At(now, kUid);
    right.resource_version = At(now, kRv);
    t.Ok("what it is", t.Delete(t.Widgets(), {ns, name}, right));
  }
  t.Fails("plain", t.Get(t.Widgets(), {ns, "plain"}), 404, "NotFound");
  LetGo(t, {ns, "held"});
}

void FinalizersHold(Trial& t) {
  const std::string ns = t.Namespace();
  const NamespacedName name{ns, "a"};
  const json::value made = Held(t, ns, "a");
  const json::value answer = t.Ok("delete", t.Delete(t.Widgets(), name));
  const json::value marked = t.Ok("get", t.Get(t.Widgets(), name));
  t.True("the answer is the object", answer == marked);
  t.True("deletionTimestamp is set", !At(marked, kDeletion).empty());
  t.Eq("deletionGracePeriodSeconds", At(marked, "metadata.deletionGracePeriodSeconds"), "0");
  t.True("a newer number", IsNewer(At(marked, kRv), At(made, kRv)));
  // Surprise: marking an object as deleted counts as a change of its spec.
  t.Eq("generation", At(marked, "metadata.generation"), "2");
  t.Ok("again", t.Delete(t.Widgets(), name));
  t.True("a second time changes nothing", t.Ok("get", t.Get(t.Widgets(), name)) == marked);
  t.Fails("its name is taken", t.Create(t.Widgets(), ns, Widget(t.Widgets(), "a")), 409,
          "AlreadyExists");
  LetGo(t, name);
  t.Fails("gone with the last one", t.Get(t.Widgets(), name), 404, "NotFound");
}

void MarkedObjectChanges(Trial& t) {
  const std::string ns = t.Namespace();
  const NamespacedName name{ns, "a"};
  Held(t, ns, "a");
  t.Ok("delete", t.Delete(t.Widgets(), name));
  const json::value marked = t.Ok("get", t.Get(t.Widgets(), name));
  json::value changed = marked;
  Set(changed, "spec.size", 2);
  Remove(changed, kDeletion);
  Remove(changed, "metadata.deletionGracePeriodSeconds");
  changed = t.Ok("update", t.Update(t.Widgets(), changed));
  t.Eq("spec", At(changed, "spec.size"), "2");
  t.Eq("it stays marked", At(changed, kDeletion), At(marked, kDeletion));
  WriteOptions status;
  status.subresource = "status";
  Set(changed, "status.phase", "Ending");
  changed = t.Ok("status", t.Update(t.Widgets(), changed, status));
  t.Eq("status", At(changed, "status.phase"), "Ending");
  LetGo(t, name);
}

void NoNewFinalizers(Trial& t) {
  const std::string ns = t.Namespace();
  const NamespacedName name{ns, "a"};
  json::value object = Widget(t.Widgets(), "a");
  Set(object, "metadata.finalizers", {"example.com/f", "example.com/g"});
  t.Ok("create", t.Create(t.Widgets(), ns, object));
  t.Ok("delete", t.Delete(t.Widgets(), name));
  t.Fails("another",
          t.Patch(t.Widgets(), name,
                  {{"metadata", {{"finalizers", {"example.com/f", "example.com/h"}}}}}),
          422, "Invalid", "no new finalizers can be added if the object is being deleted");
  const json::value fewer = t.Ok(
      "fewer", t.Patch(t.Widgets(), name, {{"metadata", {{"finalizers", {"example.com/g"}}}}}));
  t.Eq("finalizers", At(fewer, "metadata.finalizers"), R"(["example.com/g"])");
  LetGo(t, name);
}

// When an update removes the last finalizer, its answer is the object that no longer exists.
void UpdateOfTheLastFinalizer(Trial& t) {
  const std::string ns = t.Namespace();
  const NamespacedName name{ns, "a"};
  Held(t, ns, "a");
  t.Ok("delete", t.Delete(t.Widgets(), name));
  json::value marked = t.Ok("get", t.Get(t.Widgets(), name));
  Remove(marked, "metadata.finalizers");
  const json::value answer = t.Ok("update", t.Update(t.Widgets(), marked));
  t.Eq("answer", At(answer, "metadata.name"), "a");
  t.True("answer is marked", !At(answer, kDeletion).empty());
  t.Fails("gone", t.Get(t.Widgets(), name), 404, "NotFound");
}

// Tests the finalizers of the garbage collector. The test's own finalizer keeps the objects
// meanwhile.
void Propagation(Trial& t) {
  using Policy = DeleteOptions::Propagation;
  struct Row {
    const char* name;
    Policy policy;
    const char* finalizers;
  };
  const std::vector<Row> rows = {
      {"default", Policy::kDefault, R"(["example.com/f"])"},
      {"background", Policy::kBackground, R"(["example.com/f"])"},
      {"foreground", Policy::kForeground, R"(["example.com/f","foregroundDeletion"])"},
      {"orphan", Policy::kOrphan, R"(["example.com/f","orphan"])"},
  };
  const std::string ns = t.Namespace();
  for (const Row& row : rows) {
    Held(t, ns, row.name);
    DeleteOptions options;
    options.propagation = row.policy;
    const json::value answer = t.Ok(row.name, t.Delete(t.Widgets(), {ns, row.name}, options));
    t.Eq(row.name, At(answer, "metadata.finalizers"), row.finalizers);
    t.True("marked", !At(answer, kDeletion).empty());
    LetGo(t, {ns, row.name});
  }
}

void UnknownResource(Trial& t) {
  const std::string ns = t.Namespace();
  t.Fails("delete", t.Delete({t.Widgets().group, "v1", "gadgets"}, {ns, "a"}), 404, "NotFound");
}

}  // namespace

std::vector<Case> DeleteCases() {
  return {
      {"Delete.IsGoneAfter", "API concepts, Resource deletion", IsGoneAfter},
      {"Delete.Preconditions", kPreconditions, Preconditions},
      {"Delete.FinalizersHold", kFinalizers, FinalizersHold},
      {"Delete.MarkedObjectChanges", kFinalizers, MarkedObjectChanges},
      {"Delete.NoNewFinalizers", kFinalizers, NoNewFinalizers},
      {"Delete.UpdateOfTheLastFinalizer", kFinalizers, UpdateOfTheLastFinalizer},
      {"Delete.Propagation", "Garbage collection, Cascading deletion", Propagation},
      {"Delete.UnknownResource", "API conventions, HTTP status codes", UnknownResource},
  };
}

}  // namespace steward::kube::conformance
