// An index of one resource that has too many objects to hold their names. Lives on one executor.
#ifndef CONTROLLERS_RUNTIME_COMPACT_INDEX_H_
#define CONTROLLERS_RUNTIME_COMPACT_INDEX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "absl/base/attributes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "storage/reflector/reflector.h"

namespace steward::controllers {

// Half of a SHA-256: nobody can make two texts with the same digest.
using ContentDigest = std::array<uint8_t, 16>;
ContentDigest DigestOf(std::string_view text);

// Follows all objects of a selection, by one list in pages and a watch. Keeps for each object a
// digest of its name, a digest of the content that matters to the user of the index, and the user's
// tag. So it can tell the content of a name, but cannot list names; `changed` reports them. 100,000
// objects take at most 8 MiB.
class CompactIndex {
 public:
  struct Observed {
    kube::NamespacedName name;
    ContentDigest content;
    // Any number that is a function of the content.
    uint32_t tag = 0;
  };
  struct Callbacks {
    // Returns the content of an object that matters. An error means that it cannot be decoded, and
    // nothing is known from then on.
    std::function<absl::StatusOr<Observed>(const kube::RawObject& object)> observe;
    // Called when the object appeared, its content changed, or it is gone (`content` is null). May
    // be null.
    std::function<void(const kube::NamespacedName& name, const ContentDigest* content)> changed;
    // Called when a complete list has been applied, the first or a later one; `changed` is not
    // called for objects that went since the list before. May be null.
    std::function<void()> listed;
  };

  // REQUIRES: the references outlive this object and Run; callbacks do not destroy it.
  CompactIndex(kube::Client& client, Clock& clock, Random& random,
               storage::ReflectorOptions selection, Callbacks callbacks);
  ~CompactIndex();
  CompactIndex(const CompactIndex&) = delete;
  CompactIndex& operator=(const CompactIndex&) = delete;

  // Follows the objects until cancelled, then drops all knowledge. Called once at a time.
  VoidTask Run();

  // OK when all existing objects have been listed and are followed; else kUnavailable, with the
  // reason. The results of Find may always lag behind the cluster, so they prove nothing.
  absl::Status health() const;
  // Null: there is no such object. Valid until other code runs on the executor.
  const ContentDigest* Find(const kube::NamespacedName& name) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // The tag of an object; nullopt when there is none.
  std::optional<uint32_t> TagOf(const kube::NamespacedName& name) const;
  size_t size() const { return entries_.size(); }

 private:
  class Sink;
  struct Entry {
    ContentDigest content;
    uint32_t list;  // the last list that contained it
    uint32_t tag;
  };
  using Entries = absl::flat_hash_map<ContentDigest, Entry>;  // by name
  static_assert(sizeof(Entries::value_type) <= 40);

  void Note(const Observed& object);
  void Forget(const kube::NamespacedName& name);
  void EndList();
  void Clear();

  kube::Client& client_;
  Clock& clock_;
  Random& random_;
  const storage::ReflectorOptions selection_;
  const Callbacks callbacks_;

  Entries entries_;
  uint32_t list_ = 0;
  bool listed_ = false;
  absl::Status understood_;
  absl::Status followed_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_COMPACT_INDEX_H_
