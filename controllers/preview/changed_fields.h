// The difference between two states of an object, as paths. Pure functions.
#ifndef CONTROLLERS_PREVIEW_CHANGED_FIELDS_H_
#define CONTROLLERS_PREVIEW_CHANGED_FIELDS_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace steward::controllers {

struct ChangedFields {
  std::vector<std::string> paths;  // in order
  size_t more = 0;                 // that have no place among them

  bool empty() const { return paths.empty() && more == 0; }
};

// The longest path, in bytes; a longer one is cut.
inline constexpr size_t kMaxPath = 200;

// The paths of the fields that differ, like `spec.replicas`, `spec.ports[0].port` and
// `metadata.labels["a/b"]`: of the innermost ones, but of a whole member that only one state has,
// and of a whole list whose length differs. Without what a server writes down about each write:
// metadata.managedFields, metadata.resourceVersion, metadata.generation.
ChangedFields Compare(const boost::json::value& before, const boost::json::value& after,
                      size_t max_paths);

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_CHANGED_FIELDS_H_
