// Evaluates the selectors of a list, for clients that hold whole objects.
#ifndef KUBE_TESTING_LIST_FILTER_H_
#define KUBE_TESTING_LIST_FILTER_H_

#include <utility>

#include "absl/status/statusor.h"
#include "kube/client/client.h"
#include "kube/meta/selector.h"

namespace steward::kube {

// A value; immutable.
class ListFilter {
 public:
  // Parses the selectors. 400: a selector is malformed, or names a field other than name, namespace
  // and, of Events, reason.
  static absl::StatusOr<ListFilter> Of(const std::string& label_selector,
                                       const std::string& field_selector);

  // Returns true if both selectors match the object. REQUIRES: the object has metadata.
  bool Takes(const RawObject& object) const;

 private:
  ListFilter(LabelSelector labels, FieldSelector fields)
      : labels_(std::move(labels)), fields_(std::move(fields)) {}

  LabelSelector labels_;
  FieldSelector fields_;
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_LIST_FILTER_H_
