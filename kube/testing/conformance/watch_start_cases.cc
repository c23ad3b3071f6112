#include <algorithm>
#include <memory>
#include <string>

#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kVersions = "API concepts, Resource versions";
constexpr const char* kWatchList = "KEP-3157 (watch list)";
constexpr const char* kRv = "metadata.resourceVersion";
constexpr const char* kFuture = "9000000000000000";

void TwoWidgets(Trial& t, const std::string& ns) {
  for (const char* name : {"b", "a"}) {
    t.Ok("create", t.Create(t.Widgets(), ns, Widget(t.Widgets(), name)));
  }
}

// Returns the names of `count` initial ADDED events, sorted, like "a b".
std::string Added(Trial& t, const std::unique_ptr<Watch>& watch, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    const Event event = t.Next(watch);
    t.Eq("initial event", event.type, "ADDED");
    names.push_back(At(event.object, "metadata.name"));
  }
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string& name : names) StrAppend(&all, all.empty() ? "" : " ", name);
  return all;
}

void WithoutNumberBeginsWithWhatIsThere(Trial& t) {
  WatchOptions options;
  options.ns = t.Namespace();
  TwoWidgets(t, options.ns);
  for (const char* number : {"", "0"}) {
    options.resource_version = number;
    const std::unique_ptr<Watch> watch = t.StartWatch(t.Widgets(), options);
    t.Eq("what is there", Added(t, watch, 2), "a b");
    t.Ok("change", t.Patch(t.Widgets(), {options.ns, "a"},
                           {{"metadata", {{"labels", {{"n", StrCat("x", number)}}}}}}));
    t.Told("then changes", t.Next(watch), "MODIFIED", "a");
  }
}

void InitialEventsEndWithABookmark(Trial& t) {
  WatchOptions options;
  options.ns = t.Namespace();
  options.send_initial_events = true;
  TwoWidgets(t, options.ns);
  ListOptions list;
  list.ns = options.ns;
  const std::string now = t.Ok("list", t.List(t.Widgets(), list)).resource_version;
  for (const std::string& number : {std::string(), now}) {
    options.resource_version = number;
    const std::unique_ptr<Watch> watch = t.StartWatch(t.Widgets(), options);
    t.Eq("what is there", Added(t, watch, 2), "a b");
    const Event end = t.NextOfAll(watch);
    t.Eq("the end", end.type, "BOOKMARK");
    t.Eq("says so", At(end.object, {"metadata", "annotations", "k8s.io/initial-events-end"}),
         "true");
    t.Eq("kind", At(end.object, "kind"), "Widget");
    t.True("its number covers what was there", !IsNewer(now, At(end.object, kRv)));
    const json::value changed =
        t.Ok("change", t.Patch(t.Widgets(), {options.ns, "a"},
                               {{"metadata", {{"labels", {{"n", StrCat("x", number)}}}}}}));
    t.True("then changes", t.Told("change", t.Next(watch), "MODIFIED", "a") == changed);
  }
}

void InitialEventsOfASelection(Trial& t) {
  WatchOptions options;
  options.ns = t.Namespace();
  options.send_initial_events = true;
  options.label_selector = "l=1";
  const GroupVersionResource& widgets = t.Widgets();
  t.Ok("create", t.Create(widgets, options.ns, Widget(widgets, "a", "l", "1")));
  t.Ok("create", t.Create(widgets, options.ns, Widget(widgets, "b", "l", "2")));
  const std::unique_ptr<Watch> watch = t.StartWatch(widgets, options);
  t.Eq("what is selected", Added(t, watch, 1), "a");
  t.Eq("the end", t.NextOfAll(watch).type, "BOOKMARK");
  options.label_selector = "l=3";
  t.Eq("nothing is selected", t.NextOfAll(t.StartWatch(widgets, options)).type, "BOOKMARK");
}

// Surprise: the server waits for a resource version of the future, without an error.
void FutureNumberWaits(Trial& t) {
  WatchOptions options;
  options.ns = t.Namespace();
  options.resource_version = kFuture;
  options.timeout = absl::Seconds(2);
  const std::unique_ptr<Watch> watch = t.StartWatch(t.Widgets(), options);
  t.Ok("create", t.Create(t.Widgets(), options.ns, Widget(t.Widgets(), "a")));
  t.Eq("nothing comes", t.Next(watch).type, "END");
}

void InitialEventsOfTheFutureFail(Trial& t) {
  WatchOptions options;
  options.ns = t.Namespace();
  options.resource_version = kFuture;
  options.send_initial_events = true;
  const Event event = t.FirstOf(t.Widgets(), options);
  t.Fails("error", event.error, 504, "Timeout", "Too large resource version");
}

// Surprise: a watch gets 500 where a list gets 400, and the error has no reason.
void NoNumber(Trial& t) {
  WatchOptions options;
  options.ns = t.Namespace();
  options.resource_version = "rubbish";
  t.RefusesWatch("rubbish", t.Widgets(), options, 500, "", "nvalid");
}

void ForgottenNumberExpires(Trial& t) {
  WatchOptions options;
  options.ns = t.Namespace();
  TwoWidgets(t, options.ns);
  const json::value a = t.Ok("get", t.Get(t.Widgets(), {options.ns, "b"}));
  options.resource_version = At(a, kRv);
  t.server().forget_the_past();
  const Event event = t.FirstOf(t.Widgets(), options);
  t.Fails("error", event.error, 410, "Expired", "too old resource version");
}

// Version 1 is older than any definition.
void NumberBeforeTheDefinitionExpires(Trial& t) {
  WatchOptions options;
  options.ns = t.Namespace();
  options.resource_version = "1";
  options.timeout = absl::Seconds(2);
  const Event event = t.FirstOf(t.Widgets(), options);
  t.Fails("error", event.error, 410, "Expired", "too old resource version");
}

void EndsAtItsTimeout(Trial& t) {
  WatchOptions options;
  options.ns = t.Namespace();
  options.timeout = absl::Seconds(1);
  TwoWidgets(t, options.ns);
  const std::unique_ptr<Watch> watch = t.StartWatch(t.Widgets(), options);
  t.Eq("what is there", Added(t, watch, 2), "a b");
  t.Eq("a clean end", t.Next(watch).type, "END");
  t.Eq("which lasts", t.Next(watch).type, "END");
}

void BookmarksTellProgress(Trial& t) {
  WatchOptions options;
  options.ns = t.Namespace();
  const json::value made =
      t.Ok("create", t.Create(t.Widgets(), options.ns, Widget(t.Widgets(), "a")));
  options.resource_version = At(made, kRv);
  const std::unique_ptr<Watch> watch = t.StartWatch(t.Widgets(), options);
  const std::string other = t.Namespace();
  const json::value elsewhere =
      t.Ok("elsewhere", t.Create(t.Widgets(), other, Widget(t.Widgets(), "b")));
  const absl::Duration patience = 3 * t.server().bookmark_period + absl::Seconds(5);
  Event event = t.NextOfAll(watch, patience);
  while (event.type == "BOOKMARK" && IsNewer(At(elsewhere, kRv), At(event.object, kRv))) {
    event = t.NextOfAll(watch, patience);
  }
  t.Eq("a bookmark", event.type, "BOOKMARK");
  t.Eq("kind", At(event.object, "kind"), "Widget");
  options.resource_version = At(event.object, kRv);
  const std::unique_ptr<Watch> resumed = t.StartWatch(t.Widgets(), options);
  t.Ok("delete", t.Delete(t.Widgets(), {options.ns, "a"}));
  t.Told("its number can be resumed from", t.Next(resumed), "DELETED", "a");
}

void Refusals(Trial& t) {
  WatchOptions options;
  options.ns = t.Namespace();
  t.RefusesWatch("resource", {t.Widgets().group, "v1", "gadgets"}, options, 404, "NotFound");
  options.label_selector = "a b";
  t.RefusesWatch("label selector", t.Widgets(), options, 400, "BadRequest");
  options.label_selector = "";
  options.field_selector = "spec.size=1";
  t.RefusesWatch("field selector", t.Widgets(), options, 400, "BadRequest");
}

}  // namespace

std::vector<Case> WatchStartCases() {
  return {
      {"Watch.WithoutNumberBeginsWithWhatIsThere", kVersions, WithoutNumberBeginsWithWhatIsThere},
      {"Watch.InitialEventsEndWithABookmark", kWatchList, InitialEventsEndWithABookmark},
      {"Watch.InitialEventsOfASelection", kWatchList, InitialEventsOfASelection},
      {"Watch.FutureNumberWaits", kVersions, FutureNumberWaits},
      {"Watch.InitialEventsOfTheFutureFail", kWatchList, InitialEventsOfTheFutureFail},
      {"Watch.NoNumber", kVersions, NoNumber},
      {"Watch.ForgottenNumberExpires", "API concepts, 410 Gone responses", ForgottenNumberExpires,
       Needs::kForgetting},
      {"Watch.NumberBeforeTheDefinitionExpires", "API concepts, 410 Gone responses",
       NumberBeforeTheDefinitionExpires},
      {"Watch.EndsAtItsTimeout", "API concepts, Efficient detection of changes", EndsAtItsTimeout},
      {"Watch.BookmarksTellProgress", "KEP-956 (watch bookmarks)", BookmarksTellProgress,
       Needs::kBookmarks},
      {"Watch.Refusals", "API conventions, HTTP status codes", Refusals},
  };
}

}  // namespace steward::kube::conformance
