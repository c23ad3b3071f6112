#include "controllers/cleanup/testing/oracle.h"

#include <algorithm>

#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

// The names are repeated on purpose, instead of being taken from the code under test.
constexpr char kOptIn[] = "operatorframework.io/delete-custom-resources";
constexpr char kHold[] = "steward.operatorframework.io/hold-rights";
constexpr char kRecord[] = "steward.operatorframework.io/cleanup-record";
constexpr char kConfirmed[] = "steward.operatorframework.io/opt-in-confirmed";
constexpr char kRefused[] = "steward.operatorframework.io/cleanup-refused";
constexpr char kLetGo[] = "steward.operatorframework.io/rights-released";

constexpr absl::Duration kGuardAge = absl::Seconds(2);
// The time that a refusal must last before it has an effect.
constexpr absl::Duration kSecondLook = absl::Seconds(1);

bool OnlyKeys(const json::object& object, const std::set<std::string>& allowed) {
  return std::all_of(object.begin(), object.end(), [&allowed](const auto& member) {
    return allowed.contains(std::string(member.key()));
  });
}

std::string NameOf(const kube::NamespacedName& key) { return StrCat(key.ns, "/", key.name); }

// The finalizers that a patch leaves; null when it concerns something else.
const json::value* FinalizersIn(const kube::HookedCall& call) {
  if (call.body == nullptr || !call.write->subresource.empty()) return nullptr;
  return In(call.body->as_object(), "metadata").if_contains("finalizers");
}

bool Leaves(const json::value& finalizers, std::string_view name) {
  if (!finalizers.is_array()) return false;
  const json::array& list = finalizers.get_array();
  return std::any_of(list.begin(), list.end(),
                     [name](const json::value& one) { return View(one.as_string()) == name; });
}

}  // namespace

void Oracle::Violate(std::string what) {
  violations_.push_back(
      StrCat(absl::FormatDuration(Now() - absl::Seconds(1'700'000'000)), " ", what));
}

VoidTask Oracle::Observe() {
  Moment moment = co_await ReadMoment(cluster_);
  // An administrator has removed the mark.
  for (const auto& [key, csv] : moment.csvs) {
    const SeenCsv* before = history_.empty() ? nullptr : now().Find(key, csv.uid);
    if (before != nullptr && before->marked && !csv.marked) tainted_.erase(csv.uid);
  }
  history_.push_back(std::move(moment));
  co_await LookAtCrs();
}

VoidTask Oracle::LookAtCrs() {
  std::set<std::string> seen;
  for (const kube::GroupVersionResource& gvr : kOperandKinds) {
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

std::vector<const Moment*> Oracle::Since(absl::Duration from) const {
  std::vector<const Moment*> moments;
  for (auto it = history_.rbegin(); it != history_.rend(); ++it) {
    moments.push_back(&*it);
    if (it->since < from) break;
  }
  std::reverse(moments.begin(), moments.end());
  return moments;
}

Oracle::Stretch Oracle::Of(const kube::NamespacedName& key, const std::string& uid,
                           absl::Duration from) const {
  Stretch stretch;
  for (const Moment* moment : Since(from)) {
    const SeenCsv* csv = moment->Find(key, uid);
    if (csv != nullptr) stretch.emplace_back(moment, csv);
  }
  return stretch;
}

bool Oracle::WasTaintedAt(const Moment& moment, const std::string& uid) const {
  const auto tainted = tainted_.find(uid);
  return tainted != tainted_.end() && moment.since >= tainted->second;
}

// True for any refusal except that a guard cannot be read.
bool Oracle::Refuses(const Moment& moment, const SeenCsv& csv) const {
  if (!moment.Allows(csv) || WasTaintedAt(moment, csv.uid)) return true;
  const auto begun = begun_.find(csv.uid);
  if (begun == begun_.end()) return csv.noted && !csv.record.has_value();
  return !csv.record.has_value() || csv.record->csv_uid != csv.uid ||
         csv.record->targets != begun->second.targets;
}

void Oracle::CheckWrite(const kube::HookedCall& call, int process) {
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

void Oracle::CheckCsvPatch(const kube::HookedCall& call) {
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
      !OnlyKeys(meta, {"annotations", "finalizers", "labels", "resourceVersion"}) ||
      !OnlyKeys(In(meta, "annotations"), {kRecord, kRefused, kLetGo}) ||
      !OnlyKeys(In(meta, "labels"), {kConfirmed})) {
    return bad();
  }
  // Finalizers that exist may stay, as long as the resourceVersion is right.
  const json::value* finalizers = meta.if_contains("finalizers");
  if (finalizers != nullptr && Leaves(*finalizers, kOptIn)) Violate("the finalizer is written");
}

std::vector<std::string> Oracle::WhyNot(const Stretch& window, const std::string& definition,
                                        const std::string& ns) const {
  std::vector<std::string> why;
  const auto once = [&](std::string_view name, auto holds) {
    const bool held = std::any_of(window.begin(), window.end(),
                                  [&](const auto& at) { return holds(*at.first, *at.second); });
    if (!held) why.emplace_back(name);
  };
  const size_t guards = window.front().first->GuardsOf(*window.front().second).size();
  for (size_t i = 0; i < guards; ++i) {
    const std::string_view name = window.front().first->GuardsOf(*window.front().second)[i].first;
    once(name, [i](const Moment& m, const SeenCsv& csv) { return m.GuardsOf(csv)[i].second; });
  }
  once("it is uninstalled together with another owner", [&](const Moment& m, const SeenCsv& csv) {
    return !m.IsNeededByOthers(csv) && !WasTaintedAt(m, csv.uid);
  });
  once("nothing is recorded for it", [](const Moment&, const SeenCsv& csv) {
    return csv.record.has_value() && csv.record->csv_uid == csv.uid;
  });
  once("outside of the record", [&](const Moment&, const SeenCsv& csv) {
    return csv.record.has_value() && csv.record->targets.Has(ns);
  });
  once("another definition than the recorded one", [&](const Moment& m, const SeenCsv& csv) {
    const auto live = m.definitions.find(definition);
    if (live == m.definitions.end() || !csv.record.has_value()) return false;
    const auto recorded = csv.record->definitions.find(definition);
    return recorded != csv.record->definitions.end() && recorded->second == live->second.uid;
  });
  once("outside of the OperatorGroup's spec", [&](const Moment& m, const SeenCsv& csv) {
    const SeenGroup* group = m.GroupOf(csv);
    return group != nullptr && group->spec.Has(ns);
  });
  once("outside of the OperatorGroup's status", [&](const Moment& m, const SeenCsv& csv) {
    const SeenGroup* group = m.GroupOf(csv);
    return group != nullptr && group->synced.has_value() && group->synced->Has(ns);
  });
  once("not owned",
       [&](const Moment&, const SeenCsv& csv) { return csv.owned.contains(definition); });
  const std::string& uid = window.front().second->uid;
  if (let_go_.contains(uid)) why.emplace_back("the operator's rights were let go of");
  const auto begun = begun_.find(uid);
  if (begun == begun_.end()) {
    why.emplace_back("nothing was ever recorded");
  } else {
    if (!begun->second.targets.Has(ns)) why.emplace_back("outside of the first record");
    if (!begun->second.definitions.contains(definition)) {
      why.emplace_back("not owned when it was recorded");
    }
  }
  return why;
}

void Oracle::CheckDelete(const kube::HookedCall& call, int process) {
  ++deletions_;
  const std::string what = StrCat("DELETE of ", call.gvr.resource, " ", NameOf(call.name), ": ");
  const std::string definition = call.gvr.GroupResource();
  if (call.gvr.group != "example.com") return Violate(StrCat(what, "no operand"));
  const auto cr = crs_.find(call.deletion->uid);
  if (cr == crs_.end() || cr->second.name != call.name) {
    return Violate(StrCat(what, "without the UID of one that was there"));
  }
  if (call.deletion->propagation != kube::DeleteOptions::Propagation::kBackground) {
    Violate(StrCat(what, "not in the background"));
  }
  std::set<std::string>& uids = deleted_[{process, StrCat(definition, "/", NameOf(call.name))}];
  uids.insert(call.deletion->uid);
  if (uids.size() > 3) Violate(StrCat(what, "it came back three times"));

  const absl::Duration from = Now() - kGuardAge;
  std::set<std::pair<kube::NamespacedName, std::string>> csvs;
  for (const Moment* moment : Since(from)) {
    for (const auto& [key, csv] : moment->csvs) csvs.emplace(key, csv.uid);
  }
  std::optional<std::vector<std::string>> nearest;
  for (const auto& [key, uid] : csvs) {
    std::vector<std::string> why = WhyNot(Of(key, uid, from), definition, call.name.ns);
    if (why.empty()) begun_[uid].sent = true;
    if (!nearest.has_value() || why.size() < nearest->size()) nearest = std::move(why);
  }
  if (!nearest.has_value()) return Violate(StrCat(what, "there is no CSV"));
  for (const std::string& one : *nearest) Violate(StrCat(what, one));
}

VoidTask Oracle::NoteWritten(const kube::HookedCall& call,
                             const std::map<kube::NamespacedName, Pass>& passes) {
  if (call.verb == kube::ClientVerb::kDelete) {
    co_await LookAtCrs();
    co_return;
  }
  const auto pass_of = [&](const kube::NamespacedName& key) {
    const auto pass = passes.find(key);
    return pass == passes.end() ? Pass{Now()} : pass->second;
  };
  const json::value* finalizers = FinalizersIn(call);
  if (call.gvr == kClusterRoles && finalizers != nullptr && !Leaves(*finalizers, kHold)) {
    const auto held = now().held.find(call.name.name);
    const kube::NamespacedName owner =
        held == now().held.end() ? kube::NamespacedName() : held->second;
    CheckRights(call.name.name, owner,
                std::min(pass_of(owner).began, pass_of({"", "sweep"}).began));
  }
  if (call.gvr != kCsvs) {
    co_await Observe();
    co_return;
  }
  const Moment before = now();
  const auto was = before.csvs.find(call.name);
  co_await Observe();
  if (was == before.csvs.end()) co_return;
  const SeenCsv& csv = was->second;
  const Pass pass = pass_of(call.name);
  const SeenCsv* is = now().Find(csv.key, csv.uid);
  if (is != nullptr && is->noted && !csv.noted) CheckRecord(*is, pass.began);
  const bool said = is != nullptr && !is->let_go.empty() && csv.let_go.empty();
  const bool released = csv.finalizer && (is == nullptr || !is->finalizer);
  if ((said || released) && !let_go_.contains(csv.uid)) CheckLetGo(csv, before, pass);
  if (released) Taint(csv, pass.began);
}

// Checks a `role` that is no longer held. An abort, or a revocation by an administrator, ends no
// cleanup.
void Oracle::CheckRights(const std::string& role, const kube::NamespacedName& owner,
                         absl::Duration began) {
  const auto csv = now().csvs.find(owner);
  if (csv == now().csvs.end() || !csv->second.let_go.empty()) return;
  const std::string& uid = csv->second.uid;
  bool replaced = false;
  for (const auto& [moment, then] : Of(owner, uid, began)) {
    if (!then->deleting || !then->enabled || !then->finalizer) return;
    replaced = replaced || !then->itself;
  }
  // A copy, or a CSV that is replaced, has no held rights unless something was begun.
  if (!replaced || begun_.contains(uid)) {
    Violate(StrCat("rights are let go of, and it is not said: ", role));
  }
  let_go_.emplace(uid, Now());
}

// `csv` is the state with the new record.
void Oracle::CheckRecord(const SeenCsv& csv, absl::Duration began) {
  const std::string what = StrCat("the record of ", NameOf(csv.key), ": ");
  if (!csv.record.has_value() || csv.record->csv_uid != csv.uid) {
    return Violate(StrCat(what, "it cannot be read"));
  }
  bool agreed = false, owned = false;
  for (const auto& [moment, then] : Of(csv.key, csv.uid, began)) {
    const SeenGroup* group = moment->GroupOf(csv);
    agreed = agreed || (group != nullptr && group->synced == group->spec &&
                        csv.record->targets == group->spec && csv.record->group_uid == group->uid);
    owned = owned || std::all_of(csv.record->definitions.begin(), csv.record->definitions.end(),
                                 [&, moment = moment, then = then](const auto& recorded) {
                                   const auto live = moment->definitions.find(recorded.first);
                                   return then->owned.contains(recorded.first) &&
                                          live != moment->definitions.end() &&
                                          live->second.uid == recorded.second;
                                 });
  }
  if (!agreed) Violate(StrCat(what, "not what the OperatorGroup's spec and status agree on"));
  if (!owned) Violate(StrCat(what, "not what is owned"));
  Begun& begun = begun_[csv.uid];
  if (begun.sent) return;
  begun.targets = csv.record->targets;
  begun.definitions.clear();
  for (const auto& [name, definition] : now().definitions) {
    if (csv.owned.contains(name)) begun.definitions.emplace(name, definition.uid);
  }
}

void Oracle::CheckLetGo(const SeenCsv& csv, const Moment& now, const Pass& pass) {
  let_go_[csv.uid] = Now();
  const std::string what = StrCat(NameOf(csv.key), " is released ");
  if (!csv.deleting) Violate(StrCat(what, "before it is deleted"));
  if (!csv.enabled) return;
  Stretch window = Of(csv.key, csv.uid, pass.began);
  // The last moment shows the write itself.
  if (window.back().first == &history_.back()) window.pop_back();
  const auto ever = [&window](auto holds) {
    return std::any_of(window.begin(), window.end(),
                       [&](const auto& at) { return holds(*at.first, *at.second); });
  };
  const bool begun = begun_.contains(csv.uid);
  // These refusals depend on the CSV alone.
  const bool by_itself = ever([begun](const Moment&, const SeenCsv& then) {
    return !then.itself || then.marked || !then.enabled || !then.finalizer ||
           (begun && !then.noted);
  });
  // A CSV that ends with its namespace, and for which nothing was sent, is released even if its
  // definitions cannot be read, which may stay so for ever (R-000-86).
  const bool ends = !begun && ever([](const Moment& then, const SeenCsv& seen) {
    return !then.namespaces.contains(seen.key.ns);
  });
  const bool blind = pass.blind || (pass.blind_to_definition && !ends);
  if (blind && !by_itself) Violate(StrCat(what, "although a guard could not be read"));
  const SeenCsv* after = history_.back().Find(csv.key, csv.uid);
  const bool allowed =
      ever([this](const Moment& m, const SeenCsv& then) { return !Refuses(m, then); });
  const bool completed = after != nullptr && after->let_go == "Completed";
  if (completed && !allowed) Violate(StrCat(what, "as completed, and it was refused"));
  if (!completed && !allowed) {
    std::optional<absl::Duration> first;
    absl::Duration last;
    for (size_t i = 0; i < history_.size() && history_[i].since <= now.since; ++i) {
      const SeenCsv* then = history_[i].Find(csv.key, csv.uid);
      if (then == nullptr || !then->deleting) continue;
      if (!Refuses(history_[i], *then) && !MayCountGone(*then, history_[i])) continue;
      if (!first.has_value()) first = history_[i].since;
      last = i + 1 < history_.size() ? history_[i + 1].since : Now();
    }
    if (!first.has_value() || last - *first < kSecondLook) {
      Violate(StrCat(what, "for a refusal that was looked at once"));
    }
  }
  CheckEmpty(window, pass.began);
}

// Checks that the recorded scope is empty: nothing there is being deleted or has to be deleted.
void Oracle::CheckEmpty(const Stretch& window, absl::Duration began) {
  const auto always = [&window](auto holds) {
    return std::all_of(window.begin(), window.end(),
                       [&](const auto& at) { return holds(*at.first, *at.second); });
  };
  const auto [latest, csv] = window.back();
  const auto found = begun_.find(csv->uid);
  if (found == begun_.end()) return;  // nothing was ever sent
  const Begun& begun = found->second;
  // No operator can finish there (R-000-86).
  if (!latest->namespaces.contains(csv->key.ns) && latest->IsOperatorGone(*csv)) return;
  const bool allowed = always([this](const Moment& m, const SeenCsv& then) {
    return !Refuses(m, then) && then.record.has_value();
  });
  // Without its record, only a process that remembers it knows what was begun.
  const bool known =
      always([](const Moment&, const SeenCsv& then) { return then.record.has_value(); });
  for (const auto& [uid, cr] : crs_) {
    if (cr.gone || cr.created >= began) continue;
    const std::string definition = cr.gvr.GroupResource();
    const std::string& ns = cr.name.ns;
    const auto recorded = begun.definitions.find(definition);
    const auto live = latest->definitions.find(definition);
    if (recorded == begun.definitions.end() || live == latest->definitions.end() ||
        live->second.uid != recorded->second || !begun.targets.Has(ns)) {
      continue;
    }
    const std::string what =
        StrCat(NameOf(csv->key), " is released while there is ", definition, " ", NameOf(cr.name));
    if (cr.marked.has_value()) {
      if (*cr.marked < began && known) Violate(StrCat(what, ", which is being deleted"));
      continue;
    }
    const bool wanted =
        allowed && always([&](const Moment& m, const SeenCsv& then) {
          const SeenGroup* group = m.GroupOf(then);
          return then.owned.contains(definition) && group->spec.Has(ns) && group->synced->Has(ns);
        });
    if (wanted && !MayCountGone(*csv, now())) Violate(StrCat(what, ", which is to be deleted"));
  }
}

// True if, at that moment, a CSV that shared with it, and was not opted in, is gone. A process that
// saw it counts it for a minute; others do not.
bool Oracle::MayCountGone(const SeenCsv& csv, const Moment& at) const {
  return std::any_of(history_.begin(), history_.end(), [&](const Moment& moment) {
    return moment.since <= at.since &&
           std::any_of(moment.csvs.begin(), moment.csvs.end(), [&](const auto& entry) {
             const SeenCsv& other = entry.second;
             const bool opted_in = other.finalizer && other.enabled;
             return other.key != csv.key && !opted_in && at.Find(other.key, other.uid) == nullptr &&
                    (Share(other, csv) || other.replaces == csv.key.name);
           });
  });
}

// CSVs that were being deleted all the while, and shared with it, are never cleaned up.
void Oracle::Taint(const SeenCsv& released, absl::Duration began) {
  for (const auto& [key, other] : now().csvs) {
    if (key == released.key || tainted_.contains(other.uid)) continue;
    bool together = true;
    for (const Moment* moment : Since(began)) {
      const SeenCsv* a = moment->Find(released.key, released.uid);
      const SeenCsv* b = moment->Find(key, other.uid);
      if (moment == &history_.back()) continue;  // released at this moment
      together = together && a != nullptr && b != nullptr && Share(*a, *b) && a->deleting &&
                 b->deleting && b->finalizer;
    }
    if (together) tainted_[other.uid] = Now();
  }
}

void Oracle::CheckHolds() {
  for (const auto& [role, owner] : now().held) {
    const auto csv = now().csvs.find(owner);
    if (csv == now().csvs.end() || !csv->second.finalizer || !csv->second.enabled) {
      Violate(StrCat("held without a reason: ", role));
    }
  }
}

}  // namespace steward::controllers
