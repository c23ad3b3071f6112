// The index of a folder of saved operands: the objects, and their operator. Values and pure
// functions.
#ifndef PLUGIN_SAVING_SAVE_INDEX_H_
#define PLUGIN_SAVING_SAVE_INDEX_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"

namespace steward::plugin {

// The objects of one definition. The file of each is at SavedPath(crd, name).
struct SavedResource {
  std::string crd;  // "widgets.example.com"
  kube::GroupVersionKind gvk;
  std::string plural;
  bool cluster_scoped = false;
  std::vector<kube::NamespacedName> objects;  // sorted

  kube::GroupVersionResource gvr() const { return {gvk.group, gvk.version, plural}; }
  bool operator==(const SavedResource&) const = default;
};

struct SaveIndex {
  kube::NamespacedName csv;
  std::string csv_uid;
  std::string saved_at;   // RFC 3339
  bool complete = false;  // false: saving has begun, and files may be missing
  std::vector<SavedResource> resources;

  size_t objects() const;
  bool operator==(const SaveIndex&) const = default;
};

inline constexpr char kIndexFile[] = "index.json";
// The largest index that can be read back: some 200,000 objects.
inline constexpr size_t kMaxIndexBytes = 16 << 20;

std::string EncodeIndex(const SaveIndex& index);
// Total. kInvalidArgument unless `text` is an index in which all names are valid names of
// Kubernetes objects, so that no name leads out of the folder.
absl::StatusOr<SaveIndex> DecodeIndex(std::string_view text);

}  // namespace steward::plugin

#endif  // PLUGIN_SAVING_SAVE_INDEX_H_
