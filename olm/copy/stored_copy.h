// A ClusterServiceVersion with the label of a copy, as a cluster stores it. A value.
#ifndef OLM_COPY_STORED_COPY_H_
#define OLM_COPY_STORED_COPY_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"

namespace steward::olm {

struct StoredCopy {
  kube::NamespacedName key;
  std::string uid;
  std::string resource_version;
  bool deleting = false;
  std::optional<std::string> copied_from;         // label olm.copiedFrom, with any value
  std::optional<std::string> operator_namespace;  // annotation olm.operatorNamespace
  std::string reason;                             // status.reason

  // The copied content as canonical JSON (sorted members, one form of numbers and strings), so
  // equal contents are equal texts. Other metadata (owners, finalizers) is left out.
  std::string body;    // labels, annotations and spec
  std::string status;  // "{}" when there is none

  bool SameContent(const StoredCopy& other) const {
    return body == other.body && status == other.status;
  }
};

// Errors (kInvalidArgument): not a JSON object, or no name.
absl::StatusOr<StoredCopy> ReadStoredCopy(std::string_view json);

// True when `stored` may be overwritten with a copy of an original in namespace `source`
// (R-000-85): its label names `source`, or it has the label and says that it is a copy by its
// status, or by an annotation that names `source` or the label's namespace. An object without the
// label, or whose label alone names another namespace, may be somebody's own.
bool MayOverwrite(const StoredCopy& stored, std::string_view source);

// True when `stored` is a copy by its label, and by its annotation or status as well. Does not
// check whether the original still wants the copy.
bool IsProvenCopy(const StoredCopy& stored);

}  // namespace steward::olm

#endif  // OLM_COPY_STORED_COPY_H_
