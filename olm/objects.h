// The source objects, parsed once for the rules and views. Immutable values, shared as
// shared_ptr<const T>.
#ifndef OLM_OBJECTS_H_
#define OLM_OBJECTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/splice/shared_text.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "olm/csv_facts.h"

namespace steward::olm {

// The revision of the last write of an object; 0 = unknown. Always equal, because it is not part of
// an object's content: objects that differ only in it compare as equal.
struct Written {
  uint64_t revision = 0;

  bool operator==(const Written&) const { return true; }
};

// A Namespace. While it is Terminating, it still shows its operators.
struct Namespace {
  std::string name;
  std::string uid;
  std::string created;  // RFC 3339, UTC, seconds: compares as text
  kube::LabelMap labels;
  bool terminating = false;  // it is being deleted
  Written written;

  bool operator==(const Namespace&) const = default;
};

// An OperatorGroup's identity, spec and status. Its annotations are left out, because OLM derives
// them from other objects. Its status does not affect where copies are seen (targets come from the
// spec alone), but cleanup requires it to agree (R-000-62).
struct OperatorGroup {
  kube::NamespacedName key;
  std::string uid;
  std::vector<std::string> target_namespaces;   // spec.targetNamespaces
  std::optional<kube::LabelSelector> selector;  // spec.selector
  // The reason why the spec cannot be used; such a group targets nothing. "" = valid.
  std::string invalid;
  // The reason why the spec cannot be read at all: a field has a type that no current definition
  // admits. Then the group's targets are unknown and count as none. "" = it was read.
  std::string unreadable;

  bool deleting = false;
  // status.namespaces, where a single "" means all namespaces; nullopt when absent or empty.
  std::optional<std::vector<std::string>> synced;
  std::string invalid_status;  // why the status cannot be read; "" = valid
  Written written;

  // True when both target the same namespaces, whatever their names and identities.
  bool SameSpec(const OperatorGroup& other) const {
    return target_namespaces == other.target_namespaces && selector == other.selector &&
           invalid == other.invalid && unreadable == other.unreadable;
  }
  bool operator==(const OperatorGroup&) const = default;
};

// A ClusterServiceVersion: the fields that the rules read, and the JSON that a copy carries,
// without metadata.managedFields. OLM's copy drops some labels and annotations and rewrites two
// fields of the status. Of an object that is itself a copy, only identity and marks are kept.
struct CsvContent {
  kube::NamespacedName key;
  std::string uid;
  std::string created;  // RFC 3339, UTC, seconds
  std::string phase;    // status.phase
  std::string reason;   // status.reason
  // True for a copy that OLM made, by OLM's own definition: reason Copied, or label olm.copiedFrom,
  // or the annotation olm.operatorNamespace naming another namespace. No view ever shows it as an
  // original.
  bool copied = false;
  bool cleanup_opted_in =
      false;  // finalizer delete-custom-resources and spec.cleanup.enabled, both

  // Table columns. A value other than a string is shown as its JSON.
  std::string display_name;
  std::string version;
  std::string release;
  std::string replaces;

  kube::LabelMap labels;  // those that a copy keeps

  // Compact JSON. Labels, annotations and status are the members of an object without its braces,
  // "" when there are none.
  std::string labels_json;      // kept labels
  SharedText annotations_json;  // kept annotations
  SharedText spec_json;         // spec, of any JSON type
  SharedText status_json;       // members of status except reason and message; cleanup is empty
  std::string reason_json;      // status.reason, "" when absent
  std::string message_json;     // status.message, "" when absent

  bool operator==(const CsvContent&) const = default;
};

// The whole ClusterServiceVersion: CsvContent, the labels that only its own namespace shows, and
// the facts for cleanup.
struct Csv : CsvContent {
  kube::LabelMap component_labels;  // the labels that a copy drops
  std::string own_labels_json;      // all labels, if a copy drops any; else ""
  Written written;

  // Null for a proven copy, because it does not count as an owner. An unproven copy does.
  std::shared_ptr<const CsvCleanup> cleanup;

  bool operator==(const Csv& other) const {
    return static_cast<const CsvContent&>(*this) == other &&
           component_labels == other.component_labels &&
           (cleanup == other.cleanup ||
            (cleanup != nullptr && other.cleanup != nullptr && *cleanup == *other.cleanup));
  }
};

using NamespacePtr = std::shared_ptr<const Namespace>;
using OperatorGroupPtr = std::shared_ptr<const OperatorGroup>;
using CsvPtr = std::shared_ptr<const Csv>;

}  // namespace steward::olm

#endif  // OLM_OBJECTS_H_
