// Label and field selectors over stored objects. A value.
#ifndef STORAGE_EMBEDDED_OPERATIONS_OBJECT_FILTER_H_
#define STORAGE_EMBEDDED_OPERATIONS_OBJECT_FILTER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/meta/resource_type.h"
#include "kube/meta/selector.h"
#include "storage/embedded/table/version_table.h"

namespace steward::storage {

// The namespace (or all) and the selectors of a list or a watch.
class ObjectFilter {
 public:
  // Returns a 400 in Kubernetes' wording for a selector that cannot be parsed, or that names a
  // field which the kind does not offer: all kinds offer metadata.name and metadata.namespace.
  static absl::StatusOr<ObjectFilter> Create(const kube::ResourceType& type, const std::string& ns,
                                             const std::string& label_selector,
                                             const std::string& field_selector);

  const std::string& key_prefix() const { return key_prefix_; }
  // True if there are selectors.
  bool selective() const { return !labels_.empty() || !fields_.empty(); }
  // True if the filter selects the object. kDataLoss when `body` cannot be read.
  absl::StatusOr<bool> Matches(std::string_view key, std::string_view body) const;

 private:
  std::string key_prefix_;
  kube::LabelSelector labels_;
  kube::FieldSelector fields_;
  bool fields_in_body_ = false;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_OPERATIONS_OBJECT_FILTER_H_
