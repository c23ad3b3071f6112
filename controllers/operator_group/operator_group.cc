#include "controllers/operator_group/operator_group.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "controllers/families.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/time.h"
#include "kube/meta/write_options.h"
#include "olm/decode.h"
#include "olm/objects.h"
#include "olm/resources.h"
#include "olm/targets.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using storage::OperatorWorld;
using storage::World;

constexpr absl::Duration kPause = absl::Milliseconds(100);
// Each wait ends after this time, and then starts over.
constexpr absl::Duration kPatience = absl::Hours(1);

const Key kAllGroups = {"", "all"};

// Counters whose change makes another look worthwhile. A changed status alone changes only `seen`.
struct Level {
  uint64_t groups = 0;
  uint64_t namespaces = 0;
  auto operator<=>(const Level&) const = default;
};

Level LevelOf(const World& world) {
  return {world.source(storage::kOperatorGroupSource).seen(),
          world.source(storage::kNamespaceSource).rev};
}

bool Knows(const World& world) {
  return world.source(storage::kOperatorGroupSource).synced &&
         world.source(storage::kNamespaceSource).synced;
}

// The distinct targets of the group, sorted; nullopt if the group's spec is invalid or cannot be
// read.
std::optional<std::vector<std::string>> TargetsOf(const olm::OperatorGroup& group,
                                                  const OperatorWorld& world) {
  std::vector<std::string> targets;
  switch (olm::KindOfTargets(group)) {
    case olm::TargetKind::kNone:
      return std::nullopt;
    case olm::TargetKind::kAll:
      return std::vector<std::string>{""};
    case olm::TargetKind::kList:
      targets = group.target_namespaces;
      break;
    case olm::TargetKind::kSelector:
      for (auto it = world.namespaces().begin(); !it.done(); it.Next()) {
        if (olm::Targets(group, it.key(), it.value()->labels)) targets.push_back(it.key());
      }
      break;
  }
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

json::object& StatusOf(json::object& group) {
  json::value& status = group["status"];
  if (!status.is_object()) status.emplace_object();
  return status.get_object();
}

bool Says(const json::object& status, const std::vector<std::string>& targets) {
  std::vector<std::string> said;
  const json::value* namespaces = status.if_contains("namespaces");
  if (namespaces != nullptr && namespaces->is_array()) {
    for (const json::value& name : namespaces->get_array()) {
      if (!name.is_string()) return false;
      said.emplace_back(name.get_string().data(), name.get_string().size());
    }
  }
  std::sort(said.begin(), said.end());
  return said == targets;
}

void Say(const std::vector<std::string>& targets, absl::Time now, json::object& status) {
  status.erase("namespaces");
  if (!targets.empty()) {
    status["namespaces"] = json::array(targets.begin(), targets.end());
  }
  status["lastUpdated"] = kube::FormatRfc3339(now);
}

}  // namespace

StatusTask OperatorGroupReconciler::ReconcileOne(const kube::RawObject& raw) {
  const absl::StatusOr<olm::OperatorGroupPtr> group = olm::DecodeOperatorGroup(raw.json);
  // Skip a group that cannot be decoded. The World lacks it, too, and the World's decoder logs the
  // problem.
  if (!group.ok()) co_return absl::OkStatus();
  const auto world = OperatorWorld::Of(worlds_.Current());
  const std::optional<std::vector<std::string>> targets = TargetsOf(**group, *world);
  if (!targets.has_value()) co_return absl::OkStatus();
  CO_ASSIGN_OR_RETURN(json::value object, ParseJson(raw.json));
  json::object& status = StatusOf(object.as_object());
  if (Says(status, *targets)) co_return absl::OkStatus();
  Say(*targets, clock_.Now(), status);
  kube::WriteOptions options;
  options.subresource = "status";
  options.field_manager = "steward-operator-group";
  const absl::Status written =
      (co_await client_.Update(olm::kOperatorGroups, object, options)).status();
  // If the group was changed or removed meanwhile, the next World shows that.
  co_return kube::IsOvertaken(written) ? absl::OkStatus() : written;
}

Task<ReconcileResult> OperatorGroupReconciler::Reconcile(Key) {
  const kube::ListOptions all;
  const absl::StatusOr<kube::ListPage> page = co_await client_.List(olm::kOperatorGroups, all);
  if (kube::SaysNotFound(page.status())) co_return ReconcileResult::Done();
  CO_RETURN_IF_ERROR(page.status());
  absl::Status first_failure;
  for (const kube::RawObject& raw : page->items) {
    const absl::Status status = co_await ReconcileOne(raw);
    if (first_failure.ok()) first_failure = status;
  }
  CO_RETURN_IF_ERROR(first_failure);
  co_return ReconcileResult::Done();
}

VoidTask OperatorGroupReconciler::Feed(WorkQueue& queue) {
  std::optional<Level> fed;
  while (true) {
    const storage::WorldPtr world = co_await worlds_.WaitUntil(
        [&fed](const World& next) { return Knows(next) && LevelOf(next) != fed; }, kPatience);
    if (!Knows(*world)) continue;
    fed = LevelOf(*world);
    queue.Add(kAllGroups);
    co_await clock_.Sleep(kPause);
  }
}

KnownReconciler KnownOperatorGroups() {
  KnownReconciler known;
  known.options.name = "operator-groups";
  known.family = kCleanupFamily;
  known.options.limits.initial = absl::Seconds(1);
  known.prepare = [](const FlagValues&, prometheus::Registry&) -> ReconcilerFactory {
    return [](const ReconcilerDeps& deps) {
      return std::make_unique<OperatorGroupReconciler>(deps.client, deps.clock, deps.worlds);
    };
  };
  return known;
}

}  // namespace steward::controllers
