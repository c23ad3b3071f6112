// The identities and versions of the objects that a source holds. A value; not thread-safe.
#ifndef STORAGE_REFLECTOR_HELD_VERSIONS_H_
#define STORAGE_REFLECTOR_HELD_VERSIONS_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "kube/client/client.h"

namespace steward::storage {

// Compares two states of a source by (namespace, name, uid, resourceVersion) of each object. Keeps
// a 64-bit hash of (namespace, name) and one of (uid, resourceVersion), so that ten thousand
// objects cost some 300 kB.
class HeldVersions {
 public:
  void Clear();
  // Accepts any JSON: an object whose metadata cannot be read makes the whole state unknown until
  // Clear.
  void Put(const kube::RawObject& object);
  void Remove(const kube::RawObject& object);

  // True if both are known and hold the same objects in the same versions.
  bool SameAs(const HeldVersions& other) const;
  bool known() const { return known_; }
  size_t size() const { return versions_.size(); }

 private:
  absl::flat_hash_map<uint64_t, uint64_t> versions_;  // (namespace, name) to (uid, version)
  bool known_ = true;
};

}  // namespace steward::storage

#endif  // STORAGE_REFLECTOR_HELD_VERSIONS_H_
