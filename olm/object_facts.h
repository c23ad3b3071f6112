// The facts that cleanup needs from any object's metadata. A value.
#ifndef OLM_OBJECT_FACTS_H_
#define OLM_OBJECT_FACTS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"
#include "kube/meta/selector.h"

namespace steward::olm {

struct ObjectFacts {
  kube::NamespacedName key;
  std::string uid;
  std::string resource_version;
  int64_t generation = 0;          // grows with each change of the spec; 0 = unknown
  std::string deletion_timestamp;  // "" = it is not being deleted
  std::vector<std::string> finalizers;
  kube::LabelMap labels;

  bool deleting() const { return !deletion_timestamp.empty(); }
  bool HasFinalizer(std::string_view name) const {
    return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
  }
  bool operator==(const ObjectFacts&) const = default;
};

}  // namespace steward::olm

#endif  // OLM_OBJECT_FACTS_H_
