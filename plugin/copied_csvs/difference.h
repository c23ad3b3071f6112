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

// The fields that are not compared. An InstalledOperator is another kind, with an identity of its
// own and no traces of writing, since nobody wrote it; its `scope` says what a copy leaves to
// guesses; and what a cleanup deletes in other namespaces is shown to none.
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
  // The values as JSON, around the place where they begin to differ; "" where there is none. All
  // three are printable, and kMostColumns wide at most.
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

// Every field counts that is not in kNotCompared. A field that is null is absent; the order of
// members means nothing, that of a list's elements does.
Differences Compare(const boost::json::object& copy, const boost::json::object& view);

}  // namespace steward::plugin

#endif  // PLUGIN_COPIED_CSVS_DIFFERENCE_H_
