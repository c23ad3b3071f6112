#include "controllers/cleanup/reporting/report.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/time.h"
#include "olm/csv_facts.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr size_t kOldest = 3;
constexpr size_t kObjectsNamed = 10;
// The limit of the text that one operand with many finalizers adds to a metric.
constexpr size_t kFinalizersText = 200;

const json::object* StatusOf(const json::value& csv) {
  const json::object* object = csv.if_object();
  return object == nullptr ? nullptr : ObjectAt(*object, "status");
}

std::string Joined(const std::vector<std::string>& words, size_t limit) {
  std::string text;
  for (size_t i = 0; i < words.size() && i < limit; ++i) {
    StrAppend(&text, i == 0 ? "" : ", ", words[i]);
  }
  if (words.size() > limit) StrAppend(&text, ", and ", words.size() - limit, " more");
  return text;
}

// Names cluster-scoped objects and counts the others, because a user who may read a condition in
// one namespace may not be allowed to know objects in others.
std::string Objects(const std::vector<std::string>& objects) {
  std::vector<std::string> told;
  for (const std::string& object : objects) {
    if (object.find('/') == std::string::npos) told.push_back(object);
  }
  const size_t counted = objects.size() - told.size();
  std::string text = Joined(told, kObjectsNamed);
  if (counted == 0) return text;
  StrAppend(&text, text.empty() ? "" : ", and ", counted,
            counted == 1 ? " object in a namespace" : " objects in namespaces");
  return text;
}

bool IsAboutPending(std::string_view reason) { return reason == olm::kWaitingOnCleanup; }

// Appends the present conditions whose reason satisfies `is`.
void Keep(bool (*is)(std::string_view reason), const json::array& live,
          std::vector<olm::CleanupCondition>& conditions) {
  for (const json::value& value : live) {
    const json::object* condition = value.if_object();
    if (condition == nullptr || !is(StringAt(*condition, "reason"))) continue;
    conditions.push_back({std::string(StringAt(*condition, "phase")),
                          std::string(StringAt(*condition, "reason")),
                          std::string(StringAt(*condition, "message"))});
  }
}

// `where` is a hint where to see the objects that are not named here.
std::vector<olm::CleanupCondition> ConditionsFor(const CleanupReport& report,
                                                 const json::array& live,
                                                 const std::string& where) {
  std::vector<olm::CleanupCondition> conditions;
  if (report.rights.has_value()) {
    conditions = *report.rights;
  } else {
    Keep(olm::IsSaidBefore, live, conditions);
  }
  const auto say = [&conditions](std::string_view reason, std::string message) {
    conditions.push_back(
        {std::string(olm::kPhaseDeleting), std::string(reason), std::move(message)});
  };
  // Once reported, the condition stays, because it tells a process without memory that DELETEs may
  // have been sent.
  const bool waits = report.waits() || olm::HasCondition(live, olm::kWaitingOnCleanup);
  if (!report.pending.has_value()) {
    Keep(IsAboutPending, live, conditions);
  } else if (waits && report.is_copied) {
    say(olm::kWaitingOnCleanup, olm::WaitingMessage(report.pending_kinds, where));
  } else if (waits) {
    say(olm::kWaitingOnCleanup,
        StrCat(olm::WaitingMessage(report.pending_count, report.definitions),
               report.reported.empty() ? "" : "; it reports: ", report.reported));
  }
  if (!report.refused.empty()) say(olm::kCleanupRefused, report.refused);
  if (!report.unknown.empty()) say(olm::kCleanupUnknown, report.unknown);
  if (!report.stall.reason.empty()) {
    say(olm::kCleanupStalled,
        StrCat(report.stall.reason, ": ",
               report.is_copied ? StrCat("see ", where) : report.stall.message));
  }
  return conditions;
}

struct Listed {
  const OperandsOfCrd* crd;
  const Operand* operand;
};

std::vector<Listed> AllOf(const OperandListing& listing) {
  std::vector<Listed> all;
  all.reserve(listing.pending());
  for (const OperandsOfCrd& crd : listing.crds) {
    for (const Operand& operand : crd.pending) {
      if (!operand.gone) all.push_back({&crd, &operand});
    }
  }
  return all;
}

// Sorts the first `count` elements to the front, and drops the others.
template <typename Before>
void KeepFirst(size_t count, Before before, std::vector<Listed>& all) {
  count = std::min(count, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<long>(count), all.end(), before);
  all.resize(count);
}

}  // namespace

void CleanupReport::Count(const OperandListing& listing) {
  pending = PendingOf(listing);
  pending_count = listing.custom_resources();
  definitions = listing.terminating_crds.size();
  pending_kinds = PendingKindsOf(listing);
  oldest = OldestOf(listing);
}

std::string Describe(const std::vector<olm::CleanupBlocker>& blockers) {
  std::string text;
  for (const olm::CleanupBlocker& blocker : blockers) {
    StrAppend(&text, text.empty() ? "" : "; ", olm::ToString(blocker.reason), ": ",
              blocker.message);
    if (!blocker.objects.empty()) StrAppend(&text, " (", Objects(blocker.objects), ")");
  }
  return text;
}

std::vector<olm::PendingOperand> PendingOf(const OperandListing& listing) {
  // Choose the few that are reported before copying any text.
  std::vector<Listed> all = AllOf(listing);
  const auto before = [](const Listed& a, const Listed& b) {
    const olm::CrdPlan &x = a.crd->plan, &y = b.crd->plan;
    return std::tie(x.group, x.kind, a.operand->name) < std::tie(y.group, y.kind, b.operand->name);
  };
  KeepFirst(olm::kMaxPendingInstances, before, all);
  std::vector<olm::PendingOperand> pending;
  for (const Listed& one : all) {
    const olm::CrdPlan& plan = one.crd->plan;
    pending.push_back({plan.group, plan.kind, one.operand->name.ns, one.operand->name.name});
  }
  for (const std::string& crd : listing.terminating_crds) {
    pending.push_back(
        {std::string(olm::kDefinitionGroup), std::string(olm::kDefinitionKind), "", crd});
  }
  return pending;
}

std::vector<olm::PendingKind> PendingKindsOf(const OperandListing& listing) {
  std::vector<olm::PendingKind> kinds;
  for (const OperandsOfCrd& crd : listing.crds) {
    if (!crd.pending.empty()) {
      kinds.push_back({crd.plan.group, crd.plan.kind, crd.pending.size()});
    }
  }
  if (!listing.terminating_crds.empty()) {
    kinds.push_back({std::string(olm::kDefinitionGroup), std::string(olm::kDefinitionKind),
                     listing.terminating_crds.size()});
  }
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

std::vector<OldestOperand> OldestOf(const OperandListing& listing) {
  std::vector<Listed> all = AllOf(listing);
  std::erase_if(all, [](const Listed& one) { return !one.operand->deleting(); });
  // Times in RFC 3339 and UTC, as Kubernetes writes them, sort as text.
  const auto older = [](const Listed& a, const Listed& b) {
    return std::tie(a.operand->deletion_timestamp, a.crd->plan.crd, a.operand->name) <
           std::tie(b.operand->deletion_timestamp, b.crd->plan.crd, b.operand->name);
  };
  KeepFirst(kOldest, older, all);
  std::vector<OldestOperand> oldest;
  for (const Listed& one : all) {
    const absl::StatusOr<absl::Time> deleted = kube::ParseRfc3339(one.operand->deletion_timestamp);
    std::string finalizers = Joined(one.operand->finalizers, kOldest);
    if (finalizers.size() > kFinalizersText) finalizers.resize(kFinalizersText);
    oldest.push_back({one.crd->plan.crd, one.operand->name, std::move(finalizers),
                      deleted.ok() ? absl::ToDoubleSeconds(*deleted - absl::UnixEpoch()) : 0});
  }
  return oldest;
}

std::string DescribeEnd(size_t deleted, bool whole, const std::vector<olm::CrdPlan>& plans,
                        const olm::TargetSet& recorded, const olm::TargetSet& targets) {
  std::string text =
      StrCat(whole ? "" : "at least ", deleted,
             deleted == 1 ? " custom resource was" : " custom resources were", " deleted");
  std::vector<std::string> kept;
  for (const olm::CrdPlan& plan : plans) {
    if (!plan.kept.empty()) kept.push_back(StrCat(plan.crd, " (", plan.kept, ")"));
  }
  if (recorded.all() && !targets.all()) {
    kept.push_back(StrCat("everything outside of ", targets.names().size(),
                          " namespaces that are still targets"));
  }
  for (const std::string& ns : recorded.names()) {
    if (!targets.Contains(ns)) kept.push_back(StrCat("namespace ", ns, " (no target any more)"));
  }
  if (!kept.empty()) StrAppend(&text, "; kept: ", Joined(kept, kObjectsNamed));
  return text;
}

std::string DescribeLeft(const OperandListing& listing) {
  std::vector<std::string> names;
  for (const olm::PendingOperand& operand : PendingOf(listing)) {
    if (olm::IsDefinition(operand)) continue;
    names.push_back(
        StrCat(operand.kind, " ", operand.ns, operand.ns.empty() ? "" : "/", operand.name));
    if (names.size() == kObjectsNamed) break;
  }
  const size_t count = listing.custom_resources();
  std::string text;
  if (count > 0) {
    text = StrCat(count, count == 1 ? " custom resource is" : " custom resources are",
                  " left: ", Joined(names, kObjectsNamed), count > names.size() ? ", …" : "");
  }
  if (listing.terminating_crds.empty()) return text;
  return StrCat(text, text.empty() ? "" : "; ",
                "definitions being deleted: ", Joined(listing.terminating_crds, kObjectsNamed));
}

json::array ConditionsOf(const json::value& csv) {
  const json::object* status = StatusOf(csv);
  const json::array* conditions = status == nullptr ? nullptr : ArrayAt(*status, "conditions");
  return conditions == nullptr ? json::array() : *conditions;
}

std::optional<json::value> StatusPatch(const json::value& csv, const CleanupReport& report,
                                       absl::Time now) {
  const json::object* metadata = kube::MetadataOf(csv);
  if (metadata == nullptr) return std::nullopt;
  json::object status;
  const json::array live = ConditionsOf(csv);
  const std::string where =
      StrCat("kubectl get cleanupstatus -n ", StringAt(*metadata, "namespace"), " ",
             StringAt(*metadata, "name"), " -o yaml");
  json::array conditions =
      olm::WithConditions(live, ConditionsFor(report, live, where), kube::FormatRfc3339(now));
  if (conditions != live) status["conditions"] = std::move(conditions);
  if (report.pending.has_value()) {
    const json::object* old_status = StatusOf(csv);
    const json::object* cleanup =
        old_status == nullptr ? nullptr : ObjectAt(*old_status, "cleanup");
    const json::array* before = cleanup == nullptr ? nullptr : ArrayAt(*cleanup, "pendingDeletion");
    json::array pending = report.is_copied ? olm::PendingDeletionByKind(report.pending_kinds)
                                           : olm::PendingDeletion(*report.pending);
    const bool same = before == nullptr ? pending.empty() : *before == pending;
    if (!same) status["cleanup"] = json::object{{"pendingDeletion", std::move(pending)}};
  }
  if (status.empty()) return std::nullopt;
  return json::object{{"metadata", {{"resourceVersion", StringAt(*metadata, "resourceVersion")}}},
                      {"status", std::move(status)}};
}

}  // namespace steward::controllers
