#include "controllers/cleanup/operands/operand_counter.h"

#include <utility>

#include "base/status/macros.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/cleanup/operands/served_versions.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/decode.h"

namespace steward::controllers {
namespace {

constexpr int kPasses = 4;  // for lists that expire while they are read

StatusTask CountByVersion(kube::Client& client, std::string version, OperandCount& count) {
  count.to_delete = count.waited_for = count.kept = 0;
  const auto take = [&count](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(raw.json));
    switch (olm::FateOf(count.plan, facts.key.ns, facts.deleting())) {
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
  co_return co_await ListLive(client, count.plan.Resource(version), "", "", Detail::kMetadata,
                              take);
}

}  // namespace

boost::asio::awaitable<OperandCount> CountOperands(kube::Client& client, olm::CrdPlan plan) {
  OperandCount count;
  count.plan = std::move(plan);
  if (count.plan.state == olm::CrdState::kUnreadable) {
    count.unreadable = count.plan.why_unreadable;
    co_return count;
  }
  if (count.plan.state == olm::CrdState::kGone ||
      count.plan.state == olm::CrdState::kNotEstablished) {
    co_return count;
  }
  absl::Status status;
  for (int pass = 0; pass < kPasses; ++pass) {
    status = co_await ListByAnyVersion(count.plan, [&client, &count](std::string version) {
      return CountByVersion(client, std::move(version), count);
    });
    if (status.ok()) co_return count;
    if (!kube::IsExpired(status)) break;
  }
  count.to_delete = count.waited_for = count.kept = 0;
  count.unreadable = Describe(status);
  co_return count;
}

}  // namespace steward::controllers
