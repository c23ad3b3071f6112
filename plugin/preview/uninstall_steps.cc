#include "plugin/preview/uninstall_steps.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "bundle/dependents.h"
#include "kube/dry_run/dry_run_answer.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "plugin/cluster/csv.h"
#include "plugin/cluster/related.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

constexpr size_t kMostDependents = 1000;
// The kinds that cannot be read are named up to this number.
constexpr size_t kMostNamed = 10;

std::string_view WordOf(bundle::Dependent::Fate fate) {
  switch (fate) {
    case bundle::Dependent::Fate::kGoes:
      return "Delete";
    case bundle::Dependent::Fate::kStays:
      return "Keep";
    case bundle::Dependent::Fate::kUnknown:
      break;
  }
  return "Unknown";
}

// In a sentence, why.
std::string_view SentenceOf(std::string_view reason) {
  if (reason == bundle::kOwned) return "the garbage collector takes it";
  if (reason == bundle::kOwnedByOthers) return "another owner of it is there";
  if (reason == bundle::kOwnerUnknown) return "whether its other owner is there is not known";
  if (reason == bundle::kByFinalizer) return "it goes before OLM's finalizer is taken off";
  if (reason == bundle::kUsedByOthers) return "another operator was installed with it, too";
  if (reason == bundle::kNoFinalizer) return "the operator has no finalizer, so nobody deletes it";
  if (reason == bundle::kCopy) return "a copy goes with its original";
  if (reason == bundle::kGroupsOperators) return "an Operator outlives its components";
  return "";
}

class Steps {
 public:
  Steps(kube::Client& client, kube::NamespacedName csv, AskedPreview asked)
      : client_(client), csv_(std::move(csv)), object_(std::move(asked.object)) {}

  Task<AskedPreview> Run() {
    CO_RETURN_IF_ERROR(co_await TryDeletion());
    co_await AddRelated();
    co_await AddDependents();
    Count();
    co_return ReadPreview(object_);
  }

 private:
  json::object& status() { return object_.at("status").get_object(); }
  json::array& steps() { return status().at("steps").get_array(); }

  json::object* Find(std::string_view kind, const kube::NamespacedName& name) {
    for (json::value& each : steps()) {
      json::object& step = each.get_object();
      if (StringAt(step, "kind") == kind && StringAt(step, "namespace") == name.ns &&
          StringAt(step, "name") == name.name) {
        return &step;
      }
    }
    return nullptr;
  }

  json::object& Add(const kube::GroupVersionKind& gvk, const kube::NamespacedName& name) {
    const json::value* last =
        steps().empty() ? nullptr : steps().back().get_object().if_contains("index");
    const int64_t index = last != nullptr && last->is_int64() ? last->get_int64() + 1 : 1;
    json::object step = {{"index", index},        {"group", gvk.group}, {"version", gvk.version},
                         {"kind", gvk.kind},      {"name", name.name},  {"basis", "Rule"},
                         {"resolving", csv_.name}};
    if (!name.ns.empty()) step["namespace"] = name.ns;
    steps().emplace_back(std::move(step));
    return steps().back().get_object();
  }

  static void Say(std::string_view outcome, std::string_view reason, std::string_view message,
                  json::object& step) {
    step["outcome"] = outcome;
    step["reason"] = reason;
    if (message.empty()) {
      step.erase("message");
    } else {
      step["message"] = message;
    }
  }

  // Says what a deletion with dryRun=All came to; `reason` and `message` where it is accepted.
  static void SayAnswer(const absl::Status& answer, std::string_view reason,
                        std::string_view message, json::object& step) {
    switch (kube::JudgeDryRun(answer)) {
      case kube::DryRunVerdict::kAccepted:
        step["basis"] = "DryRun";
        return Say("Delete", reason, message, step);
      case kube::DryRunVerdict::kRefused:
        step["basis"] = "DryRun";
        step["code"] = kube::FromStatus(answer).code;
        return Say("Fail", kube::RefusalReason(answer), ToStd(answer.message()), step);
      case kube::DryRunVerdict::kUntried:
        return Say("Unknown", "WebhookWithoutDryRun", ToStd(answer.message()), step);
      case kube::DryRunVerdict::kNoAnswer:
        return Say("Unknown", "NoAnswer", ToStd(answer.message()), step);
    }
  }

  StatusTask TryDeletion() {
    json::object* step = Find("ClusterServiceVersion", csv_);
    if (step == nullptr || StringAt(*step, "reason") != "DeletedByRequester") {
      co_return absl::OkStatus();
    }
    const absl::StatusOr<Csv> csv = co_await ReadCsv(client_, csv_);
    absl::Status answer = csv.status();
    if (csv.ok()) answer = co_await DeleteCsv(client_, csv->facts, /*dry_run=*/true);
    SayAnswer(answer, "DeletedByRequester", "", *step);
    if (StringAt(*step, "outcome") == "Delete") co_return absl::OkStatus();
    json::object condition = {{"type", "Executable"},
                              {"status", "False"},
                              {"reason", StringAt(*step, "reason")},
                              {"message", StringAt(*step, "message")}};
    status()["conditions"] = json::array{std::move(condition)};
    co_return absl::OkStatus();
  }

  VoidTask AddRelated() {
    const absl::StatusOr<std::vector<RelatedObject>> related = co_await FindRelated(client_, csv_);
    if (!related.ok()) {
      unread_.push_back("subscriptions and installplans");
      co_return;
    }
    for (const RelatedObject& each : *related) {
      json::object& step = Add({each.gvr.group, each.gvr.version, each.kind}, each.name);
      if (each.kept()) {
        Say("Keep", "InstallsOthers",
            StrCat("it also installs ", absl::StrJoin(each.also_installs, ", "),
                   ": unless it is deleted, it can install ", csv_.name, " again"),
            step);
        continue;
      }
      const absl::Status answer = co_await DeleteRelated(client_, each, /*dry_run=*/true);
      SayAnswer(answer, "InstallsItAgain", "kubectl steward uninstall deletes it before", step);
    }
  }

  VoidTask AddDependents() {
    const absl::StatusOr<bundle::Dependents> found =
        co_await bundle::FindDependents(client_, csv_, kMostDependents);
    if (!found.ok()) {
      unread_.push_back(StrCat("what goes along (", ToStd(found.status().message()), ")"));
    } else {
      for (const bundle::Dependent& each : found->objects) {
        json::object* step = Find(each.gvk.kind, each.name);
        const bool goes = each.fate == bundle::Dependent::Fate::kGoes;
        if (step != nullptr && (!goes || StringAt(*step, "outcome") != "Keep")) continue;
        if (step == nullptr) step = &Add(each.gvk, each.name);
        Say(WordOf(each.fate), each.reason, SentenceOf(each.reason), *step);
      }
      for (const bundle::Unread& each : found->unread) unread_.push_back(each.where);
      json::value& remaining = status()["remaining"];
      const int64_t before = remaining.is_int64() ? remaining.get_int64() : 0;
      remaining = before + static_cast<int64_t>(found->more);
    }
    if (unread_.empty()) co_return;
    const size_t named = std::min(unread_.size(), kMostNamed);
    std::string message = StrCat(
        "you may not read these, or there was no answer: ",
        absl::StrJoin(unread_.begin(), unread_.begin() + static_cast<ptrdiff_t>(named), ", "));
    if (named < unread_.size()) StrAppend(&message, " and ", unread_.size() - named, " more");
    Say("Unknown", "Unreadable", message, Add({"", "", ""}, {"", "other objects"}));
  }

  void Count() {
    json::object* summary = nullptr;
    if (json::value* found = status().if_contains("summary")) summary = found->if_object();
    if (summary == nullptr) return;
    for (auto& member : *summary) member.value() = 0;
    for (const json::value& each : steps()) {
      std::string member(StringAt(each.get_object(), "outcome"));
      if (!member.empty()) member[0] = absl::ascii_tolower(member[0]);
      json::value& count = (*summary)[member];
      count = count.is_int64() ? count.get_int64() + 1 : int64_t{1};
    }
  }

  kube::Client& client_;
  const kube::NamespacedName csv_;
  json::object object_;
  std::vector<std::string> unread_;
};

}  // namespace

Task<AskedPreview> WithWhatGoesAlong(kube::Client& client, kube::NamespacedName csv,
                                     AskedPreview asked) {
  Steps steps(client, std::move(csv), std::move(asked));
  co_return co_await steps.Run();
}

}  // namespace steward::plugin
