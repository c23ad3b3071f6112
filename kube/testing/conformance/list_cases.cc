#include <string>

#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kChunking = "KEP-365 (chunking)";
constexpr const char* kVersions = "API concepts, Resource versions";

void InOrderOfNames(Trial& t) {
  const std::string first = t.Namespace();
  const std::string second = t.Namespace();
  const GroupVersionResource& widgets = t.OwnWidgets();
  for (const char* name : {"b", "c", "a"}) {
    t.Ok("create", t.Create(widgets, second, Widget(widgets, name)));
  }
  t.Ok("create", t.Create(widgets, first, Widget(widgets, "d")));
  t.Ok("create", t.Create(widgets, first, Widget(widgets, "a-a")));
  const Listed all = t.Ok("all namespaces", t.List(widgets, ListOptions()));
  t.Eq("all namespaces, in order", Names(all.items), "a-a d a b c");
  ListOptions options;
  options.ns = second;
  t.Eq("one namespace", Names(t.Ok("list", t.List(widgets, options)).items), "a b c");
  t.Eq("with their kind", all.items.empty() ? "" : At(all.items[0], "kind"), "Widget");
}

void NothingIsAnEmptyList(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  const Listed empty = t.Ok("an empty namespace", t.List(t.Widgets(), options));
  t.Eq("items", Names(empty.items), "");
  t.True("has a number", IsNewer(empty.resource_version, "1"));
  options.ns = t.id() + "-x";
  const Listed unknown = t.Ok("a namespace that is not", t.List(t.Widgets(), options));
  t.Eq("items", Names(unknown.items), "");
  t.True("has a number", IsNewer(unknown.resource_version, "1"));
}

// A list shows every write that ended before it began, and its resourceVersion covers all that it
// shows.
void ShowsWhatWasWrittenBefore(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  const json::value widget = Widget(t.Widgets(), "a");
  for (int i = 0; i < 5; ++i) {
    const json::value made = t.Ok("create", t.Create(t.Widgets(), options.ns, widget));
    const Listed after = t.Ok("list", t.List(t.Widgets(), options));
    t.Eq("items", Names(after.items), "a");
    t.True("the list's number is no older than its item's",
           !IsNewer(At(made, "metadata.resourceVersion"), after.resource_version));
    t.Ok("delete", t.Delete(t.Widgets(), {options.ns, "a"}));
    const Listed gone = t.Ok("list", t.List(t.Widgets(), options));
    t.Eq("items", Names(gone.items), "");
    t.True("a deletion has a number", IsNewer(gone.resource_version, after.resource_version));
  }
}

void PagesAreOneSnapshot(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  options.limit = 2;
  const GroupVersionResource& widgets = t.Widgets();
  for (const char* name : {"b", "d", "f", "h", "j"}) {
    t.Ok("create", t.Create(widgets, options.ns, Widget(widgets, name)));
  }
  const Listed first = t.Ok("first", t.List(widgets, options));
  t.Eq("first", Names(first.items), "b d");
  t.Ok("create", t.Create(widgets, options.ns, Widget(widgets, "e")));
  t.Ok("delete", t.Delete(widgets, {options.ns, "f"}));
  t.Ok("change", t.Patch(widgets, {options.ns, "h"}, {{"spec", {{"size", 2}}}}));

  options.continue_token = first.continue_token;
  const Listed second = t.Ok("second", t.List(widgets, options));
  t.Eq("second", Names(second.items), "f h");
  t.Eq("as it was", second.items.size() < 2 ? "" : At(second.items[1], "spec.size"), "1");
  t.Eq("number", second.resource_version, first.resource_version);
  options.continue_token = second.continue_token;
  options.limit = 0;
  const Listed last = t.Ok("last, without a limit", t.List(widgets, options));
  t.Eq("last", Names(last.items), "j");
  t.Eq("last number", last.resource_version, first.resource_version);
  t.Eq("continue", last.continue_token, "");

  options.limit = 2;
  options.continue_token = first.continue_token;
  t.Eq("a page can be asked for again", Names(t.Ok("again", t.List(widgets, options)).items),
       "f h");
  options.continue_token = "";
  t.Eq("a new list is of now", Names(t.Ok("anew", t.List(widgets, options)).items), "b d");
  options.limit = 10;
  const Listed whole = t.Ok("whole", t.List(widgets, options));
  t.Eq("whole", Names(whole.items), "b d e h j");
  t.Eq("continue of the whole", whole.continue_token, "");
}

void PagesGoOverNamespaces(Trial& t) {
  const std::string one = t.Namespace();
  const std::string two = t.Namespace();
  const GroupVersionResource& widgets = t.OwnWidgets();
  for (const std::string& ns : {one, two}) {
    for (const char* name : {"a", "b"})
      t.Ok("create", t.Create(widgets, ns, Widget(widgets, name)));
  }
  ListOptions options;
  options.limit = 3;
  const Listed first = t.Ok("first", t.List(widgets, options));
  options.continue_token = first.continue_token;
  const Listed second = t.Ok("second", t.List(widgets, options));
  t.Eq("first", Names(first.items), "a b a");
  t.Eq("second", Names(second.items), "b");
}

void PagesOfASelection(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  options.limit = 2;
  options.label_selector = "l=1";
  const GroupVersionResource& widgets = t.Widgets();
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    const bool odd = *name == 'a' || *name == 'c' || *name == 'e';
    t.Ok("create", t.Create(widgets, options.ns, Widget(widgets, name, "l", odd ? "1" : "2")));
  }
  const Listed first = t.Ok("first", t.List(widgets, options));
  options.continue_token = first.continue_token;
  const Listed second = t.Ok("second", t.List(widgets, options));
  t.Eq("first", Names(first.items), "a c");
  t.Eq("second", Names(second.items), "e");
}

void ContinuationHasItsNumber(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  options.limit = 1;
  for (const char* name : {"a", "b"}) {
    t.Ok("create", t.Create(t.Widgets(), options.ns, Widget(t.Widgets(), name)));
  }
  const Listed first = t.Ok("first", t.List(t.Widgets(), options));
  options.continue_token = first.continue_token;
  options.resource_version = first.resource_version;
  t.Fails("another number", t.List(t.Widgets(), options), 400, "BadRequest",
          "specifying resource version is not allowed when using continue");
}

void BadContinuation(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  options.continue_token = "rubbish";
  t.Fails("list", t.List(t.Widgets(), options), 400, "BadRequest", "continue");
}

// resourceVersion and resourceVersionMatch choose the state that is listed.
void StatesOfThePast(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  const json::value a = t.Ok("a", t.Create(widgets, options.ns, Widget(widgets, "a")));
  t.Ok("b", t.Create(widgets, options.ns, Widget(widgets, "b")));
  options.resource_version = At(a, "metadata.resourceVersion");
  options.resource_version_match = "Exact";
  const Listed then = t.Ok("exactly then", t.List(widgets, options));
  t.Eq("exactly then", Names(then.items), "a");
  t.Eq("number", then.resource_version, options.resource_version);
  options.resource_version_match = "NotOlderThan";
  t.True("not older than then", !IsNewer(options.resource_version,
                                         t.Ok("since", t.List(widgets, options)).resource_version));
  options.resource_version_match = "";
  t.True(
      "a number alone means the same",
      !IsNewer(options.resource_version, t.Ok("since", t.List(widgets, options)).resource_version));
  options.resource_version = "0";
  t.Ok("any state", t.List(widgets, options));
}

void ImpossibleMatches(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  options.resource_version_match = "Exact";
  t.Fails("a match of nothing", t.List(t.Widgets(), options), 422, "Invalid",
          "resourceVersionMatch is forbidden unless resourceVersion is provided");
  options.resource_version = "0";
  t.Fails("exactly anything", t.List(t.Widgets(), options), 422, "Invalid");
  options.resource_version = "5";
  options.resource_version_match = "Rubbish";
  t.Fails("an unknown match", t.List(t.Widgets(), options), 422, "Invalid");
}

void NoNumber(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  options.resource_version = "rubbish";
  t.Fails("list", t.List(t.Widgets(), options), 400, "BadRequest", "nvalid");
}

// Slow through the REST client: the server waits three seconds, then asks for a retry.
void StateOfTheFuture(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  options.resource_version = "9000000000000000";
  t.Fails("list", t.List(t.Widgets(), options), 504, "Timeout", "Too large resource version");
}

void ForgottenSnapshotExpires(Trial& t) {
  ListOptions options;
  options.ns = t.Namespace();
  options.limit = 1;
  for (const char* name : {"a", "b"}) {
    t.Ok("create", t.Create(t.Widgets(), options.ns, Widget(t.Widgets(), name)));
  }
  const Listed first = t.Ok("first", t.List(t.Widgets(), options));
  t.Ok("change", t.Patch(t.Widgets(), {options.ns, "b"}, {{"spec", {{"size", 2}}}}));
  t.server().forget_the_past();
  options.continue_token = first.continue_token;
  t.Fails("continuation", t.List(t.Widgets(), options), 410, "Expired");
  options = ListOptions();
  options.resource_version = first.resource_version;
  options.resource_version_match = "Exact";
  t.Fails("exactly then", t.List(t.Widgets(), options), 410, "Expired");
}

void UnknownResource(Trial& t) {
  t.Fails("resource", t.List({t.Widgets().group, "v1", "gadgets"}, ListOptions()), 404, "NotFound");
}

}  // namespace

std::vector<Case> ListCases() {
  return {
      {"List.InOrderOfNames", kChunking, InOrderOfNames},
      {"List.NothingIsAnEmptyList", "API conventions, Lists and Simple kinds",
       NothingIsAnEmptyList},
      {"List.ShowsWhatWasWrittenBefore", "KEP-2340 (consistent reads)", ShowsWhatWasWrittenBefore},
      {"List.PagesAreOneSnapshot", kChunking, PagesAreOneSnapshot},
      {"List.PagesGoOverNamespaces", kChunking, PagesGoOverNamespaces},
      {"List.PagesOfASelection", kChunking, PagesOfASelection},
      {"List.ContinuationHasItsNumber", kChunking, ContinuationHasItsNumber},
      {"List.BadContinuation", kChunking, BadContinuation},
      {"List.StatesOfThePast", kVersions, StatesOfThePast},
      {"List.ImpossibleMatches", kVersions, ImpossibleMatches},
      {"List.NoNumber", kVersions, NoNumber},
      {"List.StateOfTheFuture", kVersions, StateOfTheFuture},
      {"List.ForgottenSnapshotExpires", kChunking, ForgottenSnapshotExpires, Needs::kForgetting},
      {"List.UnknownResource", "API conventions, HTTP status codes", UnknownResource},
  };
}

}  // namespace steward::kube::conformance
