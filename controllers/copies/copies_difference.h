// The difference between the existing copies and those that a choice wants. Immutable once
// computed.
#ifndef CONTROLLERS_COPIES_COPIES_DIFFERENCE_H_
#define CONTROLLERS_COPIES_COPIES_DIFFERENCE_H_

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "olm/copy/comparison.h"
#include "olm/copy/slot.h"
#include "olm/objects.h"
#include "storage/operators/operator_world.h"

namespace steward::controllers {

// A slot that is not as it shall be.
struct CopyChange {
  const olm::Namespace* ns;   // of the World
  const std::string* name;    // of the copy and its original
  const std::string* source;  // the original's namespace; "" = unknown by now
  olm::SlotFinding finding;

  // Deletes: there is a copy, which will be deleted. Stays: the copy stays although the choice may
  // want it gone.
  bool Deletes() const {
    return finding == olm::SlotFinding::kUnwanted || finding == olm::SlotFinding::kOrphan;
  }
  bool Stays() const { return !olm::WhyItStays(finding).empty(); }
  bool HasCopy() const { return finding != olm::SlotFinding::kMissing; }
  // By namespace and name.
  std::pair<const std::string&, const std::string&> place() const { return {ns->name, *name}; }
};

struct CopiesDifference {
  olm::CopyPolicy policy;
  size_t copies = 0;     // all objects with the label of a copy
  size_t operators = 0;  // for all namespaces
  olm::CopyCounts counts;
  std::vector<CopyChange> changes;  // sorted by place

  // Keep the data alive to which `changes` points.
  storage::OperatorWorldPtr world;
  std::shared_ptr<const std::set<std::string>> texts;
};
using CopiesDifferencePtr = std::shared_ptr<const CopiesDifference>;

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIES_COPIES_DIFFERENCE_H_
