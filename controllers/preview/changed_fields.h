// The difference between two states of an object, as paths and values. Pure functions.
#ifndef CONTROLLERS_PREVIEW_CHANGED_FIELDS_H_
#define CONTROLLERS_PREVIEW_CHANGED_FIELDS_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <vector>

#include "olm/preview/preview.h"

namespace steward::controllers {

struct ChangeLimits {
  size_t fields = 50;             // that are named
  size_t value_bytes = 64 << 10;  // of one value as JSON; a larger one is left out
  size_t bytes = 1 << 20;         // of all values together; 0 = none is told
};

struct ChangedFields {
  std::vector<olm::PreviewChange> changes;  // in the order of their paths
  size_t more = 0;                          // that have no place among them

  bool empty() const { return changes.empty() && more == 0; }
};

// The longest path, in bytes; a longer one is cut.
inline constexpr size_t kMaxPath = 200;
// The longest text within a value, in bytes; a longer one is cut.
inline constexpr size_t kMaxText = 4 << 10;

// The fields that differ, with paths like `spec.replicas`, `spec.ports[0].port` and
// `metadata.labels["a/b"]`: the innermost ones, but a whole member that only one state has, and a
// whole list whose length differs. Without what a server writes down about each write:
// metadata.managedFields, metadata.resourceVersion, metadata.generation.
ChangedFields Compare(const boost::json::value& before, const boost::json::value& after,
                      const ChangeLimits& limits);

// An object that was not there, whole; without what a server writes down about it: also
// metadata.uid and metadata.creationTimestamp.
olm::PreviewChange Creation(boost::json::value object, const ChangeLimits& limits);

// Puts stars in place of what is secret in two states of a Secret, or in one (the other is null):
// the values of data, of stringData, and of annotations, which kubectl keeps the object in. Where
// both states have a value, and it differs, the stars say which is which, as those of kubectl diff.
void MaskSecret(boost::json::value& before, boost::json::value& after);

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_CHANGED_FIELDS_H_
