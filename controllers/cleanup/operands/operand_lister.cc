#include "controllers/cleanup/operands/operand_lister.h"

#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "kube/client/list_tries.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/target_set.h"

namespace steward::controllers {
namespace {

using olm::CrdPlan;
using olm::CrdState;

// With more namespaces, one list of the whole cluster is cheaper than one for each.
constexpr size_t kMaxSeparateNamespaces = 3;

// The namespaces to list: "" = the whole cluster.
std::vector<std::string> PlacesOf(const CrdPlan& plan) {
  // If the scope is unknown, cluster-scoped objects must be listed, too, so that they are kept.
  const bool everywhere = plan.targets.all() || plan.drain.all() || plan.aggregated;
  std::set<std::string> names(plan.targets.names().begin(), plan.targets.names().end());
  names.insert(plan.drain.names().begin(), plan.drain.names().end());
  if (everywhere || names.size() > kMaxSeparateNamespaces) return {""};
  return {names.begin(), names.end()};
}

StatusTask ListByVersion(kube::Client& client, std::string version, OperandsOfCrd& operands) {
  const CrdPlan& plan = operands.plan;
  operands.gvr = plan.Resource(version);
  operands.pending.clear();
  const auto take = [&operands](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(olm::ObjectFacts facts, olm::DecodeObjectFacts(raw.json));
    if (olm::FateOf(operands.plan, facts.key.ns, facts.deleting()) != olm::OperandFate::kKeep) {
      operands.pending.push_back({std::move(facts.key), std::move(facts.uid),
                                  std::move(facts.deletion_timestamp), std::move(facts.finalizers),
                                  /*gone=*/false});
    }
    return absl::OkStatus();
  };
  for (std::string& place : PlacesOf(plan)) {
    CO_RETURN_IF_ERROR(
        co_await ListLive(client, operands.gvr, std::move(place), "", Detail::kMetadata, take));
  }
  co_return absl::OkStatus();
}

// APIs without stored objects, such as reviews, cannot be listed and count as empty.
StatusTask ListOrNothing(kube::Client& client, std::string version, OperandsOfCrd& operands) {
  const absl::Status status = co_await ListByVersion(client, std::move(version), operands);
  if (!operands.plan.aggregated || !kube::IsUnsupported(status)) co_return status;
  operands.pending.clear();
  co_return absl::OkStatus();
}

StatusTask ListOne(kube::Client& client, OperandsOfCrd& operands) {
  const auto by_version = [&client, &operands](std::string version) {
    return ListOrNothing(client, std::move(version), operands);
  };
  co_return co_await kube::ListByAnyVersion(operands.plan.versions, by_version);
}

StatusTask ListPass(kube::Client& client, const std::vector<CrdPlan>& plans,
                    OperandListing& listing) {
  listing = OperandListing();
  for (const CrdPlan& plan : plans) {
    if (plan.state == CrdState::kUnreadable) {
      co_return absl::UnavailableError(
          StrCat("CustomResourceDefinition ", plan.crd, ": ", plan.why_unreadable));
    }
    if (!plan.HasObjects()) continue;
    if (plan.targets.empty() && plan.drain.empty()) continue;
    OperandsOfCrd operands;
    operands.plan = plan;
    const absl::Status status = co_await ListOne(client, operands);
    if (plan.state == CrdState::kTerminating && !plan.targets.empty()) {
      // The definition itself is pending, so a failed list does no harm. If no deletion is planned
      // (no targets), the definition does not count: only operands that are being deleted already
      // are pending.
      listing.terminating_crds.push_back(plan.crd);
      if (!status.ok()) operands.pending.clear();
    } else if (!status.ok()) {
      if (kube::IsExpired(status)) co_return status;
      co_return absl::UnavailableError(StrCat("list of ", plan.crd, ": ", Describe(status)));
    }
    listing.crds.push_back(std::move(operands));
  }
  co_return absl::OkStatus();
}

}  // namespace

size_t OperandListing::custom_resources() const {
  size_t count = 0;
  for (const OperandsOfCrd& crd : crds) {
    for (const Operand& operand : crd.pending) count += operand.gone ? 0 : 1;
  }
  return count;
}

Task<OperandListing> ListOperands(kube::Client& client, std::vector<CrdPlan> plans) {
  OperandListing listing;
  const absl::Status status = co_await kube::RestartExpired(
      [&client, &plans, &listing] { return ListPass(client, plans, listing); });
  if (kube::IsExpired(status)) {
    co_return absl::UnavailableError(StrCat("lists keep expiring: ", Describe(status)));
  }
  CO_RETURN_IF_ERROR(status);
  co_return std::move(listing);
}

}  // namespace steward::controllers
