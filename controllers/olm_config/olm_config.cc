#include "controllers/olm_config/olm_config.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/async/broadcast.h"
#include "base/async/race.h"
#include "base/async/yield.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/metrics/families.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/world_changes.h"
#include "kube/client/client.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/time.h"
#include "kube/meta/write_options.h"
#include "olm/copy/comparison.h"
#include "olm/copy/slot.h"
#include "olm/resources.h"
#include "storage/operators/operator_world.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using Global = olm::CopyPolicy::Global;
using storage::OperatorWorld;

const Key kCondition = {"", "condition"};
const Key kNotices = {"", "notices"};

// Changes are gathered for this long.
constexpr absl::Duration kGather = absl::Seconds(1);
// Notices are written again in time, because most clusters keep Events for an hour.
constexpr absl::Duration kRenewNotices = absl::Minutes(20);
constexpr char kManager[] = "steward-olm-config";

}  // namespace

OlmConfigMetrics::OlmConfigMetrics(prometheus::Registry& registry)
    : unwanted(GaugeFamily(registry, "steward_copied_csvs_unwanted",
                           "Copies that are there although copies are turned off")
                   .Add({})) {}

OlmConfigReconciler::OlmConfigReconciler(const ReconcilerDeps& deps, OlmConfigMetrics& metrics,
                                         CopyState& copy_state, CopyToggleDefaults defaults)
    : deps_(deps),
      metrics_(metrics),
      copy_state_(copy_state),
      toggle_(deps.client, deps.clock, deps.random, std::move(defaults)),
      notices_(deps.client, deps.leadership, deps.clock) {}

OlmConfigReconciler::~OlmConfigReconciler() { metrics_.unwanted.Set(0); }

VoidTask OlmConfigReconciler::Feed(WorkQueue& queue) {
  CopyToggle::Listener listener;
  listener.told = [this, &queue] {
    config_told_ = true;
    queue.Add(kCondition);
    queue.Add(kNotices);
  };
  listener.other = [](const std::string& name) {
    log::Warning("An OLMConfig of this name means nothing; only \"cluster\" does",
                 {{"name", name}});
  };
  VoidTask toggle = toggle_.Run(std::move(listener));
  VoidTask others = UntilOneEnds(FollowBoard(queue), FollowOperators(queue));
  co_await UntilOneEnds(std::move(toggle), std::move(others));
}

VoidTask OlmConfigReconciler::FollowBoard(WorkQueue& queue) {
  while (true) {
    const Broadcast::Ticket since = copy_state_.changed().Now();
    queue.AddAfter(kCondition, kGather);
    co_await copy_state_.changed().WaitSince(since, std::chrono::steady_clock::time_point::max());
  }
}

VoidTask OlmConfigReconciler::FollowOperators(WorkQueue& queue) {
  co_await FollowWorlds(deps_.worlds,
                        [&queue](const storage::World&, const storage::TouchedOperators*) {
                          queue.AddAfter(kNotices, kGather);
                        });
}

Task<ReconcileResult> OlmConfigReconciler::Reconcile(Key key) {
  if (key == kNotices) co_return co_await BringNotices();
  co_return co_await BringCondition();
}

Task<std::optional<olm::CopiesState>> OlmConfigReconciler::Compare() {
  const auto knows = [this] {
    return copy_state_.source() != nullptr && copy_state_.source()->Knows();
  };
  if (!knows()) co_return std::nullopt;
  const Global global = copy_state_.source()->Policy().global;
  if (global == Global::kUnknown) co_return std::nullopt;
  olm::CopyCounts counts;
  for (const std::string& name : copy_state_.source()->Names()) {
    counts += copy_state_.source()->Count(name);
    co_await Yield();
    // Everything may have changed while other code ran.
    if (!knows() || copy_state_.source()->Policy().global != global) co_return std::nullopt;
  }
  olm::CopiesState state;
  state.disabled = global == Global::kNotCopied;
  state.differs = counts.missing > 0 || (state.disabled && counts.unexpected > 0);
  state.unexplained = state.disabled && counts.unexplained > 0;
  const size_t unwanted = state.disabled ? counts.unexpected + counts.unexplained : 0;
  metrics_.unwanted.Set(static_cast<double>(unwanted));
  if (state.unexplained && counts.unexplained != unexplained_) {
    log::Warning(
        "Copied CSVs are turned off and some stay: their operators are gone, or their operators' "
        "namespaces have not exactly one valid OperatorGroup",
        {{"copies", counts.unexplained}});
  }
  unexplained_ = counts.unexplained;
  co_return state;
}

Task<ReconcileResult> OlmConfigReconciler::BringCondition() {
  CO_ASSIGN_OR_RETURN(const std::optional<olm::CopiesState> state, co_await Compare());
  if (!state) co_return ReconcileResult::After(kGather);
  if (!config_told_ && condition_ == state) co_return ReconcileResult::Done();
  config_told_ = false;
  condition_.reset();

  const kube::NamespacedName key{"", olm::kOlmConfigName};
  const absl::StatusOr<kube::RawObject> read = co_await deps_.client.Get(olm::kOlmConfigs, key);
  // Without an OLMConfig there is no status to write; the watch reports when there is one.
  if (kube::SaysNotFound(read.status())) co_return ReconcileResult::Done();
  CO_RETURN_IF_ERROR(read.status());
  CO_ASSIGN_OR_RETURN(json::value config, ParseJson(read->json));
  json::object& object = config.is_object() ? config.get_object() : config.emplace_object();
  // The condition must fit the choice in the same object.
  const olm::CopyPolicy chosen = toggle_.PolicyBy(olm::DisablesCopies(object));
  if (state->disabled != (chosen.global == Global::kNotCopied)) {
    config_told_ = true;
    co_return ReconcileResult::After(kGather);
  }
  const std::string now = kube::FormatRfc3339(deps_.clock.Now());
  if (olm::SetCopiesCondition(*state, now, object)) {
    kube::WriteOptions options;
    options.subresource = "status";
    options.field_manager = kManager;
    const absl::Status updated =
        (co_await deps_.client.Update(olm::kOlmConfigs, config, options)).status();
    if (kube::IsOvertaken(updated)) {
      config_told_ = true;
      co_return ReconcileResult::After(kGather);
    }
    CO_RETURN_IF_ERROR(updated);
  }
  condition_ = state;
  co_return ReconcileResult::Done();
}

Task<ReconcileResult> OlmConfigReconciler::BringNotices() {
  const storage::OperatorWorldPtr world = OperatorWorld::Of(deps_.worlds.Current());
  if (!world->synced()) co_return ReconcileResult::After(kGather);
  if (toggle_.policy().global == Global::kUnknown) co_return ReconcileResult::Done();
  std::vector<Notice> wanted = NoticesFor(*world, toggle_.policy());
  std::string all;
  for (const Notice& notice : wanted) StrAppend(&all, notice.about.uid, " ", notice.message, "\n");
  const ContentDigest digest = DigestOf(all);
  const bool renews = !wanted.empty();
  const absl::Duration now = deps_.clock.Monotonic();
  if (noticed_ != digest || (renews && now >= notices_due_)) {
    noticed_.reset();
    CO_RETURN_IF_ERROR(co_await notices_.Bring(std::move(wanted)));
    noticed_ = digest;
    notices_due_ = now + kRenewNotices;
  }
  if (!renews) co_return ReconcileResult::Done();
  co_return ReconcileResult::After(notices_due_ - now);
}

}  // namespace steward::controllers
