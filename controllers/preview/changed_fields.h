// Compares two states of an object and lists the differences as paths and values. Pure functions.
#ifndef CONTROLLERS_PREVIEW_CHANGED_FIELDS_H_
#define CONTROLLERS_PREVIEW_CHANGED_FIELDS_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <vector>

#include "olm/preview/preview.h"

namespace steward::controllers {

struct ChangeLimits {
  size_t fields = 50;             // the most fields that are named
  size_t value_bytes = 64 << 10;  // the limit of one value as JSON; a larger one is left out
  size_t bytes = 1 << 20;         // the limit of all values together; 0 = no values are given
};

struct ChangedFields {
  std::vector<olm::PreviewChange> changes;  // in the order of their paths
  size_t more = 0;                          // the number of fields beyond the limit

  bool empty() const { return changes.empty() && more == 0; }
};

// The longest path, in bytes; a longer one is cut.
inline constexpr size_t kMaxPath = 200;
// The longest text within a value, in bytes; a longer one is cut.
inline constexpr size_t kMaxText = 4 << 10;

// Returns the fields that differ, with paths like `spec.replicas`, `spec.ports[0].port` and
// `metadata.labels["a/b"]`. It names the innermost fields, but a member that only one state has,
// and a list whose length differs, as a whole. Fields that change at every write are ignored:
// metadata.managedFields, metadata.resourceVersion, metadata.generation.
ChangedFields Compare(const boost::json::value& before, const boost::json::value& after,
                      const ChangeLimits& limits);

// Returns a new object as one whole change, without the fields that a server sets: those that
// Compare ignores, metadata.uid and metadata.creationTimestamp.
olm::PreviewChange Creation(boost::json::value object, const ChangeLimits& limits);

// Replaces secret values in two states of a Secret by stars; either state may be null. Secret are
// the values of data, of stringData, and of annotations, where kubectl keeps a copy of the object.
// If a value differs between the states, the stars are labelled before and after, as in kubectl
// diff.
void MaskSecret(boost::json::value& before, boost::json::value& after);

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_CHANGED_FIELDS_H_
