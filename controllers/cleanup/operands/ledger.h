// The ledger of one ClusterServiceVersion's deletions, which decides when recreated operands may be
// deleted again. Not thread-safe.
#ifndef CONTROLLERS_CLEANUP_OPERANDS_LEDGER_H_
#define CONTROLLERS_CLEANUP_OPERANDS_LEDGER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "kube/meta/names.h"

namespace steward::controllers {

// Remembers names by hash. Names that collide count as one, which can only reduce deletions.
class DeletionLedger {
 public:
  // After so many deletions of objects of one name, the name is left alone (R-000-71).
  static constexpr int kMaxDeletions = 3;
  // Once the ledger has this many names, objects of new names are not deleted any more.
  static constexpr size_t kMaxNames = 1'000'000;

  enum class Answer {
    kDelete,
    kNotYet,     // after a denial or a recreation: later
    kRecreated,  // it was recreated too often
    kFull,
  };
  Answer Ask(const std::string& crd, const kube::NamespacedName& name, std::string_view uid,
             absl::Duration now) const;

  // Called before a DELETE is sent, whatever its result.
  void NoteSent(const std::string& crd, const kube::NamespacedName& name, std::string_view uid,
                absl::Duration now);
  // Records that the cluster refused the deletion, so that it is tried again at growing intervals.
  void NoteDenied(const std::string& crd, const kube::NamespacedName& name, absl::Duration now);

  size_t names() const { return entries_.size(); }

 private:
  struct Entry {
    uint64_t uid = 0;
    uint8_t deletions = 0;  // of different objects
    uint8_t denials = 0;    // of the present object
    absl::Duration next;    // the earliest time for another object, or after a denial
  };

  absl::flat_hash_map<uint64_t, Entry> entries_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPERANDS_LEDGER_H_
