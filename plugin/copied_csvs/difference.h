// The fields in which a copied ClusterServiceVersion and its InstalledOperator differ. Pure
// functions.
#ifndef PLUGIN_COPIED_CSVS_DIFFERENCE_H_
#define PLUGIN_COPIED_CSVS_DIFFERENCE_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steward::plugin {

// The fields that are not compared. An InstalledOperator is another kind with an identity of its
// own. It has no traces of writes, because it is not stored. Its `scope` has facts that a copy does
// not show. A copy's `status.cleanup` is left out, because an InstalledOperator does not show what
// a cleanup deletes in other namespaces.
inline constexpr std::string_view kNotCompared[] = {
    "apiVersion",
    "kind",
    "metadata.creationTimestamp",
    "metadata.generation",
    "metadata.managedFields",
    "metadata.resourceVersion",
    "metadata.selfLink",
    "metadata.uid",
    "scope",
    "status.cleanup",
};

struct FieldDifference {
  std::string path;  // as "spec.icon[0].mediatype", "metadata.labels["olm.copiedFrom"]"
  // The values as JSON, around the place where they begin to differ; "" if one side lacks the
  // field. `path`, `copy` and `view` are printable, and at most kMostColumns wide.
  std::string copy;
  std::string view;
};
inline constexpr size_t kMostColumns = 100;

struct Differences {
  std::vector<FieldDifference> fields;  // the first kMostFields
  int64_t more = 0;                     // the number of the others

  bool empty() const { return fields.empty(); }
};
inline constexpr size_t kMostFields = 20;

// Compares every field that is not in kNotCompared. A null field counts as absent. The order of an
// object's members does not matter; the order of a list's elements does.
Differences Compare(const boost::json::object& copy, const boost::json::object& view);

}  // namespace steward::plugin

#endif  // PLUGIN_COPIED_CSVS_DIFFERENCE_H_
