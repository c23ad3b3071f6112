#include <memory>
#include <string>

#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kWatch = "API concepts, Efficient detection of changes";
constexpr const char* kRv = "metadata.resourceVersion";

// Options to watch the trial's widgets in one namespace from now on.
WatchOptions FromNow(Trial& t, const std::string& ns) {
  ListOptions list;
  list.ns = ns;
  WatchOptions options;
  options.ns = ns;
  options.resource_version = t.Ok("list", t.List(t.Widgets(), list)).resource_version;
  return options;
}

void TellsEachChangeOnceInOrder(Trial& t) {
  const std::string ns = t.Namespace();
  const NamespacedName name{ns, "a"};
  const GroupVersionResource& widgets = t.Widgets();
  t.Ok("before", t.Create(widgets, ns, Widget(widgets, "old")));
  const WatchOptions options = FromNow(t, ns);
  const std::unique_ptr<Watch> watch = t.StartWatch(widgets, options);
  std::vector<json::value> states;
  states.push_back(t.Ok("create", t.Create(widgets, ns, Widget(widgets, "a"))));
  states.push_back(t.Ok("patch", t.Patch(widgets, name, {{"spec", {{"size", 2}}}})));
  t.Ok("no change", t.Patch(widgets, name, {{"spec", {{"size", 2}}}}));
  WriteOptions status;
  status.subresource = "status";
  states.push_back(t.Ok("status", t.Patch(widgets, name, {{"status", {{"phase", "Done"}}}},
                                          PatchType::kJsonMerge, status)));
  t.Ok("delete", t.Delete(widgets, name));
  t.Ok("create again", t.Create(widgets, ns, Widget(widgets, "a")));

  // A watch that began late gets the same events.
  const std::unique_ptr<Watch> late = t.StartWatch(widgets, options);
  for (const std::unique_ptr<Watch>* each : {&watch, &late}) {
    t.True("state created", t.Told("create", t.Next(*each), "ADDED", "a") == states[0]);
    t.True("state patched", t.Told("patch", t.Next(*each), "MODIFIED", "a") == states[1]);
    t.True("state of status", t.Told("status", t.Next(*each), "MODIFIED", "a") == states[2]);
    json::value last = t.Told("delete", t.Next(*each), "DELETED", "a");
    t.True("the deletion has a number of its own", IsNewer(At(last, kRv), At(states[2], kRv)));
    SetText(last, kRv, At(states[2], kRv));
    t.True("and the last state", last == states[2]);
    t.Told("create again", t.Next(*each), "ADDED", "a");
  }
}

void ResumesAfterAnyEvent(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  WatchOptions options = FromNow(t, ns);
  for (const char* name : {"a", "b"}) t.Ok("create", t.Create(widgets, ns, Widget(widgets, name)));
  t.Ok("delete", t.Delete(widgets, {ns, "a"}));
  t.Ok("create", t.Create(widgets, ns, Widget(widgets, "c")));
  for (const char* expected : {"ADDED a", "ADDED b", "DELETED a", "ADDED c"}) {
    const Event event = t.Next(t.StartWatch(widgets, options));
    t.Eq("next", event.type + " " + At(event.object, "metadata.name"), expected);
    options.resource_version = At(event.object, kRv);
  }
}

// An object that enters the selection is ADDED, one that leaves it DELETED, as if it existed only
// there.
void SelectionInAndOut(Trial& t) {
  const std::string ns = t.Namespace();
  const NamespacedName name{ns, "a"};
  const GroupVersionResource& widgets = t.Widgets();
  WatchOptions options = FromNow(t, ns);
  options.label_selector = "l=in";
  const std::unique_ptr<Watch> watch = t.StartWatch(widgets, options);
  const auto label = [&](const char* value) {
    return t.Ok("label", t.Patch(widgets, name, {{"metadata", {{"labels", {{"l", value}}}}}}));
  };
  t.Ok("never in", t.Create(widgets, ns, Widget(widgets, "x", "l", "out")));
  t.Ok("begins out", t.Create(widgets, ns, Widget(widgets, "a", "l", "out")));
  const json::value in = label("in");
  const json::value changed = t.Ok("change", t.Patch(widgets, name, {{"spec", {{"size", 2}}}}));
  const json::value out = label("out");
  t.Ok("change outside", t.Patch(widgets, name, {{"spec", {{"size", 3}}}}));
  t.Ok("delete outside", t.Delete(widgets, name));
  t.Ok("marker", t.Create(widgets, ns, Widget(widgets, "end", "l", "in")));

  t.True("enters", t.Told("enters", t.Next(watch), "ADDED", "a") == in);
  t.True("changes", t.Told("changes", t.Next(watch), "MODIFIED", "a") == changed);
  json::value left = t.Told("leaves", t.Next(watch), "DELETED", "a");
  t.Eq("with the number of the change", At(left, kRv), At(out, kRv));
  // Surprise: the event has the object as it was last selected, not as it is now.
  t.Eq("in its state before", At(left, "metadata.labels.l"), "in");
  t.Eq("in its state before", At(left, "spec.size"), "2");
  t.Told("nothing from outside", t.Next(watch), "ADDED", "end");
}

void OneNameOnly(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  WatchOptions options = FromNow(t, ns);
  options.field_selector = "metadata.name=b";
  const std::unique_ptr<Watch> watch = t.StartWatch(widgets, options);
  for (const char* name : {"a", "b"}) t.Ok("create", t.Create(widgets, ns, Widget(widgets, name)));
  t.Ok("change", t.Patch(widgets, {ns, "a"}, {{"spec", {{"size", 2}}}}));
  t.Ok("delete", t.Delete(widgets, {ns, "b"}));
  t.Told("create", t.Next(watch), "ADDED", "b");
  t.Told("delete", t.Next(watch), "DELETED", "b");
}

void OneNamespaceOrAll(Trial& t) {
  const std::string one = t.Namespace();
  const std::string two = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  const WatchOptions of_one = FromNow(t, one);
  WatchOptions of_all = of_one;
  of_all.ns = "";
  const std::unique_ptr<Watch> narrow = t.StartWatch(widgets, of_one);
  const std::unique_ptr<Watch> wide = t.StartWatch(widgets, of_all);
  t.Ok("create", t.Create(widgets, two, Widget(widgets, "b")));
  t.Ok("create", t.Create(widgets, one, Widget(widgets, "a")));
  t.Told("narrow", t.Next(narrow), "ADDED", "a");
  t.Told("wide", t.Next(wide), "ADDED", "b");
  t.Told("wide", t.Next(wide), "ADDED", "a");
}

void FinalizersAreChanges(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  const std::unique_ptr<Watch> watch = t.StartWatch(widgets, FromNow(t, ns));
  json::value object = Widget(widgets, "a");
  Set(object, "metadata.finalizers", json::array{"example.com/f"});
  t.Ok("create", t.Create(widgets, ns, object));
  t.Ok("delete", t.Delete(widgets, {ns, "a"}));
  t.Ok("delete again", t.Delete(widgets, {ns, "a"}));
  t.Ok("let it go", t.Patch(widgets, {ns, "a"}, {{"metadata", {{"finalizers", nullptr}}}}));
  t.Told("create", t.Next(watch), "ADDED", "a");
  const json::value marked = t.Told("mark", t.Next(watch), "MODIFIED", "a");
  t.True("marked", !At(marked, "metadata.deletionTimestamp").empty());
  const json::value last = t.Told("end", t.Next(watch), "DELETED", "a");
  t.True("still marked", !At(last, "metadata.deletionTimestamp").empty());
}

void ToldOfBuiltInKinds(Trial& t) {
  const std::string ns = t.Namespace();
  ListOptions list;
  list.ns = ns;
  WatchOptions options;
  options.ns = ns;
  options.resource_version = t.Ok("list", t.List(kConfigMaps, list)).resource_version;
  const std::unique_ptr<Watch> watch = t.StartWatch(kConfigMaps, options);
  t.Ok("create", t.Create(kConfigMaps, ns, ConfigMap("a")));
  t.Ok("delete", t.Delete(kConfigMaps, {ns, "a"}));
  const json::value added = t.Told("create", t.Next(watch), "ADDED", "a");
  t.Eq("kind", At(added, "kind"), "ConfigMap");
  t.Told("delete", t.Next(watch), "DELETED", "a");
}

}  // namespace

std::vector<Case> WatchCases() {
  return {
      {"Watch.TellsEachChangeOnceInOrder", kWatch, TellsEachChangeOnceInOrder},
      {"Watch.ResumesAfterAnyEvent", kWatch, ResumesAfterAnyEvent},
      {"Watch.SelectionInAndOut", "apiserver pkg/storage/cacher/cache_watcher.go",
       SelectionInAndOut},
      {"Watch.OneNameOnly", "Field selectors", OneNameOnly},
      {"Watch.OneNamespaceOrAll", kWatch, OneNamespaceOrAll},
      {"Watch.FinalizersAreChanges", "Finalizers", FinalizersAreChanges},
      {"Watch.ToldOfBuiltInKinds", kWatch, ToldOfBuiltInKinds},
  };
}

}  // namespace steward::kube::conformance
