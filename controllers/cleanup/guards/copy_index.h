// Every ClusterServiceVersion with OLM's label of copies, in a few bytes each.
#ifndef CONTROLLERS_CLEANUP_GUARDS_COPY_INDEX_H_
#define CONTROLLERS_CLEANUP_GUARDS_COPY_INDEX_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "base/async/backoff.h"
#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/guards/intern_table.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/copy_claims.h"
#include "olm/cleanup/csv_facts.h"
#include "olm/cleanup/object_facts.h"

namespace steward::controllers {

// Follows them by their metadata, and reads the content of each once for each UID and generation,
// in the background (R-000-85): OLM fans every change of an original's status out to all of its
// copies, and that changes no generation. What they say is held once for all that say the same, and
// of each no name: its namespace, and the name of its original, which is its own. So 100,000 of
// them take 4 MiB (R-000-91).
//
// Lives on one executor.
class CopyIndex {
 public:
  // Of so many unread ones of a namespace each is read alone; of more, the namespace is listed.
  static constexpr size_t kMaxReadAlone = 3;

  // Told whether all of them are known (listed, followed, and read), when that changes.
  using Observer = std::function<void(bool known)>;

  // `observer` may be null. REQUIRES: the references outlive this object and Run.
  CopyIndex(kube::Client& client, Clock& clock, Random& random, const olm::CsvTerms& terms = {},
            Observer observer = nullptr);
  ~CopyIndex();

  // Follows until cancelled. Once at a time; what is known is forgotten at its end.
  VoidTask Run();

  // OK when all that there are have been listed and are followed; else kUnavailable, and why.
  absl::Status health() const;
  // Returns when all are known, or at `deadline` (steady time).
  VoidTask UntilKnown(std::chrono::steady_clock::time_point deadline) const;
  // Those whose content has not been read yet.
  size_t unread() const { return unread_; }
  size_t size() const { return entries_.size(); }
  // Different contents that are held.
  size_t contents() const { return contents_.size(); }

  // One of them. The pointer is valid until anything else is run on the executor.
  struct Labelled {
    kube::NamespacedName key;
    const olm::CopyClaims* claims;  // null: unread
  };
  // The unread ones, and those of whose claims `wanted` is true. Claims are asked about once for
  // all that say the same; only if it is true of some are all looked at.
  std::vector<Labelled> Select(const std::function<bool(const olm::CopyClaims&)>& wanted) const;

  // Those that are being deleted and have a finalizer of cleanup, which they should never get.
  std::set<kube::NamespacedName> waiting() const;
  // Whether there may be a labelled one of this original: as long as that is not known, there may.
  bool MayHaveCopiesOf(const kube::NamespacedName& original) const;

 private:
  class Sink;
  // What a labelled ClusterServiceVersion says, as far as it was read.
  struct Content {
    bool read = false;
    olm::CopyClaims claims;  // unread: the original alone
    auto operator<=>(const Content&) const = default;
  };
  struct Entry {
    InternTable<Content>::Id content;
    InternTable<std::string>::Id ns;
    uint32_t generation;
    uint32_t list;  // in which it was seen last
  };

  void Note(const olm::ObjectFacts& object);
  void Forget(const olm::ObjectFacts& object);
  void EndList();
  void SetContent(Entry& entry, const Content& content);
  void Drop(const Entry& entry);
  void NoteWaiting(const olm::ObjectFacts& object, bool there);
  void Clear();
  // To be called after whatever may change whether all are known.
  void Tell();

  VoidTask ReadContents();
  VoidTask ReadNamespace(std::string ns, std::vector<uint64_t> ids);
  StatusTask ReadSome(const std::string& ns, const std::vector<uint64_t>& ids);
  // Unless it is older than what the watch has told: then it stays unread.
  absl::Status TakeContent(const kube::RawObject& raw);
  // Of these, those that are there and unread.
  std::vector<uint64_t> StillUnread(const std::vector<uint64_t>& ids) const;

  kube::Client& client_;
  Clock& clock_;
  Random& random_;
  const olm::CsvTerms terms_;
  const Observer observer_;

  absl::flat_hash_map<uint64_t, Entry> entries_;  // by a digest of the UID
  InternTable<Content> contents_;
  InternTable<std::string> namespaces_;
  std::map<kube::NamespacedName, uint32_t> waiting_;  // the list in which it was seen last
  size_t unread_ = 0;
  uint32_t list_ = 0;
  bool listed_ = false;
  bool broken_ = false;  // something was told that cannot be understood
  absl::Status followed_;

  std::map<std::string, std::vector<uint64_t>> to_read_;  // by namespace
  absl::Status read_;                                     // how reading went last
  Broadcast news_;                                        // there is something to read
  bool known_ = false;                                    // as was told last
  Broadcast all_known_;                                   // they are, since just now
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_COPY_INDEX_H_
