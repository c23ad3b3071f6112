#include "olm/cleanup/facts.h"

#include <algorithm>

#include "olm/copy.h"

namespace steward::olm {

bool CsvFacts::HasFinalizer(std::string_view name) const {
  return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
}

bool CsvFacts::OptedIn() const { return cleanup_enabled && HasFinalizer(kCleanupFinalizer); }

bool CsvFacts::MayBeCopy() const {
  CopyMarks marks;
  marks.ns = key.ns;
  marks.reason = reason;
  marks.has_copied_from_label = has_copied_from_label;
  if (operator_namespace.has_value()) marks.operator_namespace_annotation = *operator_namespace;
  return IsCopied(marks);
}

bool CsvFacts::IsProvenCopy() const { return has_copied_from_label && reason == kReasonCopied; }

}  // namespace steward::olm
