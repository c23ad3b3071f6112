#include "olm/csv_facts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/str_cat.h"
#include "olm/copy.h"

namespace steward::olm {
namespace {

constexpr std::array<std::string_view, 7> kOurs = {
    kWaitingOnCleanup, kCleanupStalled,  kCleanupRefused,  kCleanupUnknown,
    kRightsHeld,       kRightsMayBeLost, kOptInUnconfirmed};

}  // namespace

bool IsReasonOfOurs(std::string_view reason) {
  return std::find(kOurs.begin(), kOurs.end(), reason) != kOurs.end();
}

bool IsReservedGroup(std::string_view group) {
  if (group.find('.') == std::string_view::npos) return true;
  for (const std::string_view reserved :
       {"k8s.io", "kubernetes.io", "operators.coreos.com", "operatorframework.io"}) {
    if (group == reserved || group.ends_with(StrCat(".", reserved))) return true;
  }
  return false;
}

bool CsvFacts::HasFinalizer(std::string_view name) const {
  return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
}

bool CsvFacts::OptedIn() const { return cleanup_enabled && HasFinalizer(kCleanupFinalizer); }

bool CsvFacts::MayBeCopy() const {
  CopyMarks marks;
  marks.ns = key.ns;
  marks.reason = reason;
  marks.has_copied_from_label = copied_from.has_value();
  if (operator_namespace.has_value()) marks.operator_namespace_annotation = *operator_namespace;
  return IsCopied(marks);
}

const SaidCondition* CsvCleanup::Condition(std::string_view reason) const {
  const auto last =
      std::find_if(conditions.rbegin(), conditions.rend(),
                   [reason](const SaidCondition& condition) { return condition.reason == reason; });
  return last == conditions.rend() ? nullptr : &*last;
}

size_t SizeOf(const CsvCleanup& csv) {
  constexpr size_t kEntry = 96;  // the size of a node and a short name
  const CsvFacts& facts = csv.facts;
  size_t size = sizeof(CsvCleanup);
  for (const auto* text :
       {&facts.record, &facts.refusal, &facts.opt_out, &facts.rights_released, &facts.confirmed}) {
    if (text->has_value()) size += (*text)->size();
  }
  size += kEntry * (facts.finalizers.size() + facts.owners.size() + facts.owned_crds.size() +
                    facts.required_crds.size() + facts.deployments.size());
  size += 2 * kEntry * (csv.owned_kinds.size() + csv.pending.size());
  for (const SaidCondition& condition : csv.conditions) {
    size += sizeof(SaidCondition) + condition.message.size();
  }
  return size;
}

}  // namespace steward::olm
