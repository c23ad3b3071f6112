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

  // The copied content, as JSON of which members are sorted and numbers and strings have one form.
  // Texts are equal when the contents are. Other metadata (owners, finalizers) is no part of it.
  std::string body;    // labels, annotations and spec
  std::string status;  // "{}" when there is none

  bool SameContent(const StoredCopy& other) const {
    return body == other.body && status == other.status;
  }
};

// Errors (kInvalidArgument): not a JSON object, or no name.
absl::StatusOr<StoredCopy> ReadStoredCopy(std::string_view json);

// True when `stored` may become a copy of an original in the namespace `source`, and so be
// overwritten (R-000-85): its label names that original, or it has the label and says that it is
// the copy of another one. An object without the label, or with a label alone that names somebody
// else, belongs to somebody.
bool MayOverwrite(const StoredCopy& stored, std::string_view source);

// True when `stored` proves to be a copy, of an original in the namespace of its label: it also
// says so itself. Whether that original still wants it is not asked here.
bool IsProvenCopy(const StoredCopy& stored);

}  // namespace steward::olm

#endif  // OLM_COPY_STORED_COPY_H_
