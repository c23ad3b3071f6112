#include "controllers/cleanup/testing/oracle.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <utility>

#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

// On purpose spelled out again, and not taken from the code that is judged.
constexpr char kFinalizerName[] = "operatorframework.io/delete-custom-resources";
constexpr char kHoldName[] = "steward.operatorframework.io/hold-rights";
constexpr char kRecordName[] = "steward.operatorframework.io/cleanup-record";
constexpr char kRefusedName[] = "steward.operatorframework.io/cleanup-refused";

const json::object kEmpty;

const json::object& In(const json::object& parent, std::string_view key) {
  const json::object* member = ObjectAt(parent, key);
  return member == nullptr ? kEmpty : *member;
}
const json::object& MetaOf(const json::value& object) { return In(object.as_object(), "metadata"); }

bool Has(const json::value& object, const char* finalizer) {
  const std::vector<std::string> finalizers = FinalizersOf(object);
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

std::set<std::string> CrdsOf(const json::value& csv, std::string_view key) {
  std::set<std::string> names;
  const json::array* list =
      ArrayAt(In(In(csv.as_object(), "spec"), "customresourcedefinitions"), key);
  if (list == nullptr) return names;
  for (const json::value& crd : *list) names.emplace(StringAt(crd.as_object(), "name"));
  return names;
}

bool Overlap(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&b](const auto& name) { return b.contains(name); });
}

std::set<std::string> KeysOf(const json::object& object) {
  std::set<std::string> keys;
  for (const auto& member : object) keys.emplace(member.key());
  return keys;
}

bool OnlyKeys(const json::object& object, const std::set<std::string>& allowed) {
  const std::set<std::string> keys = KeysOf(object);
  return std::includes(allowed.begin(), allowed.end(), keys.begin(), keys.end());
}

}  // namespace

void Oracle::Violate(std::string what) {
  violations_.push_back(
      StrCat(absl::FormatDuration(Now() - absl::Seconds(1'700'000'000)), " ", what));
}

Oracle::Truth Oracle::LookAtCsvs(const std::vector<json::value>& csvs) const {
  Truth truth;
  const json::value* mine = nullptr;
  for (const json::value& csv : csvs) {
    if (MetadataText(csv, "namespace") == kCsv.ns && MetadataText(csv, "name") == kCsv.name) {
      mine = &csv;
    }
  }
  if (mine == nullptr) return truth;
  const json::object& spec = In(mine->as_object(), "spec");
  const json::object& status = In(mine->as_object(), "status");
  const json::object& annotations = In(MetaOf(*mine), "annotations");
  truth.there = true;
  truth.uid = MetadataText(*mine, "uid");
  truth.deleting = IsMarked(*mine);
  truth.enabled = BoolAt(In(spec, "cleanup"), "enabled");
  truth.finalizer = Has(*mine, kFinalizerName);
  truth.owned = CrdsOf(*mine, "owned");
  truth.self_ok = StringAt(status, "phase") == "Succeeded" &&
                  StringAt(status, "reason") != "Copied" &&
                  !In(MetaOf(*mine), "labels").contains("olm.copiedFrom") &&
                  !Has(*mine, "foregroundDeletion") && !Has(*mine, "orphan") &&
                  !annotations.contains(kRefusedName) &&
                  StringAt(annotations, "console.openshift.io/disable-operand-delete") != "true";
  truth.others_ok = true;
  for (const json::value& csv : csvs) {
    if (&csv == mine) continue;
    const bool copy = In(MetaOf(csv), "labels").contains("olm.copiedFrom") &&
                      StringAt(In(csv.as_object(), "status"), "reason") == "Copied";
    if (copy) continue;
    const bool replaces = MetadataText(csv, "namespace") == kCsv.ns &&
                          StringAt(In(csv.as_object(), "spec"), "replaces") == kCsv.name;
    if (replaces || Overlap(CrdsOf(csv, "owned"), truth.owned) ||
        Overlap(CrdsOf(csv, "required"), truth.owned)) {
      truth.others_ok = false;
    }
  }
  const std::string record(StringAt(annotations, kRecordName));
  if (record.empty()) return truth;
  boost::system::error_code error;
  const json::value parsed = json::parse(record, error);
  if (error || !parsed.is_object()) return truth;
  truth.recorded = true;
  truth.record_group = StringAt(parsed.get_object(), "operatorGroupUID");
  const json::value* targets = parsed.get_object().if_contains("targets");
  if (targets != nullptr && targets->is_string()) truth.record.all = true;
  if (targets != nullptr && targets->is_array()) {
    for (const json::value& name : targets->get_array()) {
      truth.record.names.emplace(name.as_string());
    }
  }
  return truth;
}

VoidTask Oracle::Observe() {
  const std::vector<json::value> csvs = co_await cluster_.All(kCsvs);
  Truth truth = LookAtCsvs(csvs);
  truth.since = Now();
  const std::vector<json::value> namespaces = co_await cluster_.All(kNamespaces);
  for (const json::value& ns : namespaces) {
    if (MetadataText(ns, "name") == kCsv.ns) truth.namespace_ok = !IsMarked(ns);
  }
  std::vector<json::value> groups = co_await cluster_.All(kOperatorGroups);
  if (groups.size() == 1) {
    const json::value& group = groups[0];
    truth.group_ok = !IsMarked(group);
    truth.group_uid = MetadataText(group, "uid");
    const json::object& spec = In(group.as_object(), "spec");
    const json::array* list = ArrayAt(spec, "targetNamespaces");
    const json::object& labels = In(In(spec, "selector"), "matchLabels");
    truth.spec.all = list == nullptr && labels.empty();
    if (list != nullptr) {
      for (const json::value& name : *list) truth.spec.names.emplace(name.as_string());
    } else if (!labels.empty()) {
      for (const json::value& ns : namespaces) {
        if (StringAt(In(MetaOf(ns), "labels"), "team") == StringAt(labels, "team")) {
          truth.spec.names.insert(MetadataText(ns, "name"));
        }
      }
    }
    const json::array* synced = ArrayAt(In(group.as_object(), "status"), "namespaces");
    if (synced != nullptr && !synced->empty()) {
      truth.synced.emplace();
      for (const json::value& name : *synced) truth.synced->names.emplace(name.as_string());
      truth.synced->all = truth.synced->names.contains("");
    }
  }
  std::vector<json::value> policies = co_await cluster_.All(kPolicies);
  std::vector<json::value> bindings = co_await cluster_.All(kPolicyBindings);
  // Who may opt in, and who may delete.
  truth.policy_ok = policies.size() == 2 && bindings.size() == 2;
  std::vector<json::value> deployments = co_await cluster_.All(kDeployments);
  truth.deployment_ok = !deployments.empty();
  std::vector<json::value> crds = co_await cluster_.All(kCrds);
  for (const json::value& crd : crds) {
    truth.crds[MetadataText(crd, "name")] = IsMarked(crd) ? "terminating" : "served";
  }
  history_.push_back(std::move(truth));
  co_await LookAtCrs();
}

VoidTask Oracle::LookAtCrs() {
  std::set<std::string> seen;
  for (const kube::GroupVersionResource& gvr : {kWidgets, kGadgets}) {
    const std::vector<json::value> all = co_await cluster_.All(gvr);
    for (const json::value& object : all) {
      const std::string uid = MetadataText(object, "uid");
      seen.insert(uid);
      const auto [it, fresh] = crs_.try_emplace(uid);
      if (fresh) {
        it->second.gvr = gvr;
        it->second.name = {MetadataText(object, "namespace"), MetadataText(object, "name")};
        it->second.created = Now();
      }
      if (IsMarked(object) && !it->second.marked.has_value()) it->second.marked = Now();
    }
  }
  for (auto& [uid, cr] : crs_) cr.gone = !seen.contains(uid);
}

std::vector<const Oracle::Truth*> Oracle::Since(absl::Duration from) const {
  std::vector<const Truth*> moments;
  for (size_t i = 0; i < history_.size(); ++i) {
    const bool ended_before = i + 1 < history_.size() && history_[i + 1].since < from;
    if (!ended_before) moments.push_back(&history_[i]);
  }
  return moments;
}

void Oracle::CheckWrite(const TestCall& call, int process) {
  if (call.verb == kube::ClientVerb::kDelete) return CheckDelete(call, process);
  if (call.verb != kube::ClientVerb::kPatch) return Violate("a write that is no patch");
  if (call.gvr == kCsvs) return CheckCsvPatch(call);
  const bool held_kind = call.gvr.group == "rbac.authorization.k8s.io" ||
                         call.gvr.group == "admissionregistration.k8s.io";
  const json::object& body = call.body->as_object();
  if (!held_kind || !call.write->subresource.empty() || !OnlyKeys(body, {"metadata"}) ||
      !OnlyKeys(In(body, "metadata"), {"finalizers", "resourceVersion"}) ||
      StringAt(In(body, "metadata"), "resourceVersion").empty()) {
    Violate(StrCat("a patch of ", call.gvr.resource, ": ", Serialize(*call.body)));
  }
}

void Oracle::CheckCsvPatch(const TestCall& call) {
  const json::object& body = call.body->as_object();
  const json::object& meta = In(body, "metadata");
  const auto bad = [&] { Violate(StrCat("a patch of the CSV: ", Serialize(*call.body))); };
  if (StringAt(meta, "resourceVersion").empty()) return bad();
  if (call.write->subresource == "status") {
    if (!OnlyKeys(body, {"metadata", "status"}) || !OnlyKeys(meta, {"resourceVersion"}) ||
        !OnlyKeys(In(body, "status"), {"cleanup", "conditions"})) {
      return bad();
    }
    const json::array* conditions = ArrayAt(In(body, "status"), "conditions");
    if (conditions == nullptr) return;
    const bool kept = std::any_of(conditions->begin(), conditions->end(), [](const auto& value) {
      return StringAt(value.as_object(), "reason") == "InstallSucceeded";
    });
    if (!kept) Violate("a condition of OLM's is lost");
    return;
  }
  if (!OnlyKeys(body, {"metadata"}) ||
      !OnlyKeys(meta, {"annotations", "finalizers", "resourceVersion"}) ||
      !OnlyKeys(In(meta, "annotations"), {kRecordName, kRefusedName})) {
    return bad();
  }
  // What is there already may stay, as long as the resourceVersion is right.
  const json::array* finalizers = ArrayAt(meta, "finalizers");
  if (finalizers == nullptr) return;
  for (const json::value& finalizer : *finalizers) {
    if (finalizer.as_string() == kFinalizerName) Violate("the finalizer is written");
  }
}

void Oracle::CheckDelete(const TestCall& call, int process) {
  ++deletions_;
  const std::string what =
      StrCat("DELETE of ", call.gvr.resource, " ", call.name.ns, "/", call.name.name, ": ");
  const std::string crd = call.gvr.GroupResource();
  if (call.gvr.group != "example.com") return Violate(StrCat(what, "no operand"));
  const auto cr = crs_.find(call.deletion->uid);
  if (cr == crs_.end() || cr->second.name != call.name) {
    return Violate(StrCat(what, "without the UID of one that was there"));
  }
  if (call.deletion->propagation != kube::DeleteOptions::Propagation::kBackground) {
    Violate(StrCat(what, "not in the background"));
  }
  const Truth& now = history_.back();
  if (!now.there) return;  // just gone: it hits nothing that was not allowed, see below
  const std::vector<const Truth*> window = Since(Now() - absl::Seconds(2) - leap_);
  const auto once = [&](const char* guard, auto holds) {
    if (!std::any_of(window.begin(), window.end(), [&](const Truth* t) { return holds(*t); })) {
      Violate(StrCat(what, guard));
    }
  };
  const std::string& ns = call.name.ns;
  once("nothing is recorded", [](const Truth& t) { return t.recorded; });
  once("outside of the record", [&](const Truth& t) { return t.record.Has(ns); });
  once("outside of the OperatorGroup's spec", [&](const Truth& t) { return t.spec.Has(ns); });
  once("outside of the OperatorGroup's status",
       [&](const Truth& t) { return t.synced.has_value() && t.synced->Has(ns); });
  once("not owned", [&](const Truth& t) { return t.owned.contains(crd); });
  once("not being deleted", [](const Truth& t) { return t.deleting; });
  once("not enabled", [](const Truth& t) { return t.enabled; });
  once("not opted in", [](const Truth& t) { return t.finalizer; });
  once("the CSV forbids it", [](const Truth& t) { return t.self_ok; });
  once("another operator needs it", [](const Truth& t) { return t.others_ok; });
  once("its namespace is going", [](const Truth& t) { return t.namespace_ok; });
  once("opting in is not protected", [](const Truth& t) { return t.policy_ok; });
  once("the operator is gone", [](const Truth& t) { return t.deployment_ok; });
  once("there is not one OperatorGroup", [](const Truth& t) { return t.group_ok; });
  once("it is another OperatorGroup", [](const Truth& t) { return t.group_uid == t.record_group; });
  std::set<std::string>& uids = deleted_[{process, StrCat(crd, "/", ns, "/", call.name.name)}];
  uids.insert(call.deletion->uid);
  if (uids.size() > 3) Violate(StrCat(what, "it came back three times"));
}

VoidTask Oracle::NoteWritten(const TestCall& call, absl::Duration pass_began, bool blind) {
  if (call.verb == kube::ClientVerb::kDelete) {
    co_await LookAtCrs();
    co_return;
  }
  if (call.gvr != kCsvs) co_return;
  const bool finalizers =
      call.body != nullptr && In(call.body->as_object(), "metadata").contains("finalizers");
  if (finalizers && call.name == kCsv && history_.back().finalizer) {
    co_await LookAtCrs();
    CheckRelease(pass_began, blind);
  }
  co_await Observe();
}

// The finalizer has just gone. The CSV was, to the resourceVersion, as it was last observed.
void Oracle::CheckRelease(absl::Duration pass_began, bool blind) {
  const Truth& now = history_.back();
  released_ = true;
  if (!now.deleting) Violate("released before it is deleted");
  if (!now.enabled) return;
  // A record that is there no more forbids it whatever could be read.
  const bool record_gone =
      !now.recorded && std::any_of(history_.begin(), history_.end(), [&now](const Truth& t) {
        return t.uid == now.uid && t.recorded;
      });
  if (blind && now.self_ok && !record_gone) {
    Violate("released although a guard could not be read");
  }
  const std::vector<const Truth*> window = Since(pass_began);
  const auto always = [&window](auto holds) {
    return std::all_of(window.begin(), window.end(), [&](const Truth* t) { return holds(*t); });
  };
  const bool allowed = always([](const Truth& t) { return t.Allows() && t.recorded; });
  for (const auto& [uid, cr] : crs_) {
    if (cr.gone || cr.created >= pass_began) continue;
    const std::string crd = cr.gvr.GroupResource();
    const std::string& ns = cr.name.ns;
    if (!always([&](const Truth& t) { return t.owned.contains(crd) && t.crds.contains(crd); })) {
      continue;
    }
    const std::string what = StrCat("released while there is ", crd, " ", ns, "/", cr.name.name);
    if (cr.marked.has_value() && *cr.marked < pass_began) {
      const bool begun = now.recorded
                             ? now.record.Has(ns)
                             : always([&](const Truth& t) { return t.group_ok && t.spec.Has(ns); });
      if (begun) Violate(StrCat(what, ", which is being deleted"));
    } else if (!cr.marked.has_value() && allowed) {
      const bool target = always(
          [&](const Truth& t) { return t.record.Has(ns) && t.spec.Has(ns) && t.synced->Has(ns); });
      if (target) Violate(StrCat(what, ", which is to be deleted"));
    }
  }
}

VoidTask Oracle::CheckHolds() {
  const json::value csv = co_await cluster_.Find(kCsvs, kCsv);
  const bool wanted = !csv.is_null() && Has(csv, kFinalizerName) &&
                      BoolAt(In(In(csv.as_object(), "spec"), "cleanup"), "enabled");
  const std::vector<json::value> roles = co_await cluster_.All(kClusterRoles);
  for (const json::value& role : roles) {
    if (!wanted && Has(role, kHoldName)) {
      Violate(StrCat("held without a reason: ", MetadataText(role, "name")));
    }
  }
}

}  // namespace steward::controllers
