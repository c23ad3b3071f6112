// What was deleted for one ClusterServiceVersion, and when what came back may be deleted again.
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

// Names are remembered by hash: two that collide are taken for one, which can only make deletions
// fewer. Not thread-safe.
class DeletionLedger {
 public:
  // Of objects of one name; then it is left alone (R-000-71).
  static constexpr int kMaxDeletions = 3;
  // Beyond so many names nothing new is deleted until the ledger ends.
  static constexpr size_t kMaxNames = 1'000'000;

  enum class Answer {
    kDelete,
    kNotYet,     // after a refusal, or because it came back: later
    kRecreated,  // it came back too often
    kFull,
  };
  Answer Ask(const std::string& crd, const kube::NamespacedName& name, std::string_view uid,
             absl::Duration now) const;

  // To be told before a DELETE is sent, whatever comes of it.
  void NoteSent(const std::string& crd, const kube::NamespacedName& name, std::string_view uid,
                absl::Duration now);
  // The cluster refused to delete it: asked again ever more seldom.
  void NoteDenied(const std::string& crd, const kube::NamespacedName& name, absl::Duration now);

  size_t names() const { return entries_.size(); }

 private:
  struct Entry {
    uint64_t uid = 0;
    uint8_t deletions = 0;  // of different objects
    uint8_t denials = 0;    // of the present one
    absl::Duration next;    // for another object, or after a denial: not before
  };

  absl::flat_hash_map<uint64_t, Entry> entries_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPERANDS_LEDGER_H_
