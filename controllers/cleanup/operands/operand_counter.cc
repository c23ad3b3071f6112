#include "controllers/cleanup/operands/operand_counter.h"

#include <utility>

#include "base/status/macros.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "kube/client/list_tries.h"
#include "olm/cleanup/decode.h"

namespace steward::controllers {
namespace {

void Forget(OperandCount& count) {
  count.to_delete = count.waited_for = count.kept = 0;
  count.first.clear();
}

StatusTask CountByVersion(kube::Client& client, std::string version, size_t keep,
                          OperandCount& count) {
  Forget(count);
  count.gvr = count.plan.Resource(version);
  const auto take = [&count, keep](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(raw.json));
    const olm::OperandFate fate = olm::FateOf(count.plan, facts.key.ns, facts.deleting());
    if (count.first.size() < keep) count.first.push_back({facts.key, facts.uid, fate});
    switch (fate) {
      case olm::OperandFate::kDelete:
        ++count.to_delete;
        break;
      case olm::OperandFate::kWait:
        ++count.waited_for;
        break;
      case olm::OperandFate::kKeep:
        ++count.kept;
        break;
    }
    return absl::OkStatus();
  };
  co_return co_await ListLive(client, count.gvr, "", "", Detail::kMetadata, take);
}

}  // namespace

boost::asio::awaitable<OperandCount> CountOperands(kube::Client& client, olm::CrdPlan plan,
                                                   size_t keep) {
  OperandCount count;
  count.plan = std::move(plan);
  if (count.plan.state == olm::CrdState::kUnreadable) count.unreadable = count.plan.why_unreadable;
  if (!count.plan.HasObjects()) co_return count;
  const auto by_version = [&client, &count, keep](std::string version) {
    return CountByVersion(client, std::move(version), keep, count);
  };
  const absl::Status status = co_await kube::RestartExpired(
      [&count, &by_version] { return kube::ListByAnyVersion(count.plan.versions, by_version); });
  if (status.ok()) co_return count;
  Forget(count);
  count.unreadable = Describe(status);
  co_return count;
}

}  // namespace steward::controllers
