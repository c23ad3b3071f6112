// An index of every ClusterServiceVersion with OLM's label of copies, in a few bytes each. Lives on
// one executor.
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
#include "olm/csv_facts.h"
#include "olm/object_facts.h"

namespace steward::controllers {

// Follows the objects by their metadata, and reads the content of each in the background, once for
// each UID and generation (R-000-85). So OLM's copying of an original's status into all of its
// copies, which changes no generation, causes no reads. Equal claims are held once for all objects.
// No names of objects are held, because a copy has the name of its original: only numbers for the
// namespace and the claims. So 100,000 copies take 4 MiB (R-000-91).
class CopyIndex {
 public:
  // Up to this many unread objects of a namespace are read one by one. If there are more, the
  // namespace is listed.
  static constexpr size_t kMaxReadAlone = 3;

  // Called with true when all objects become known (listed, followed and read), and with false when
  // they cease to be.
  using Observer = std::function<void(bool known)>;

  // `observer` may be null. REQUIRES: the references outlive this object and Run.
  CopyIndex(kube::Client& client, Clock& clock, Random& random, const olm::CsvTerms& terms = {},
            Observer observer = nullptr);
  ~CopyIndex();

  // Follows the objects until cancelled, then drops all knowledge. Called once at a time.
  VoidTask Run();

  // OK when all existing objects have been listed and are followed; else kUnavailable, with the
  // reason.
  absl::Status health() const;
  // Returns when all objects are known, or at `deadline` (steady time).
  VoidTask UntilKnown(std::chrono::steady_clock::time_point deadline) const;
  // The number of objects whose content has not been read yet.
  size_t unread() const { return unread_; }
  size_t size() const { return entries_.size(); }
  // The number of different contents that are held.
  size_t contents() const { return contents_.size(); }

  // One of the objects. The pointer is valid until other code runs on the executor.
  struct Labelled {
    kube::NamespacedName key;
    const olm::CopyClaims* claims;  // null: unread
  };
  // The unread objects, and those for whose claims `wanted` returns true. `wanted` is called once
  // for equal claims; the objects are searched only if it returns true at least once.
  std::vector<Labelled> Select(const std::function<bool(const olm::CopyClaims&)>& wanted) const;

  // The objects that are being deleted and have a finalizer of cleanup. (Copies should never have
  // one.)
  std::set<kube::NamespacedName> waiting() const;
  // True if there may be a labelled object of this original; also true while that is unknown.
  bool MayHaveCopiesOf(const kube::NamespacedName& original) const;

 private:
  class Sink;
  // The claims of a labelled ClusterServiceVersion, as far as they were read.
  struct Content {
    bool read = false;
    olm::CopyClaims claims;  // unread: only the original
    auto operator<=>(const Content&) const = default;
  };
  struct Entry {
    InternTable<Content>::Id content;
    InternTable<std::string>::Id ns;
    uint32_t generation;
    uint32_t list;  // the last list that contained it
  };

  void Note(const olm::ObjectFacts& object);
  void Forget(const olm::ObjectFacts& object);
  void EndList();
  void SetContent(Entry& entry, const Content& content);
  void Drop(const Entry& entry);
  void NoteWaiting(const olm::ObjectFacts& object, bool there);
  void Clear();
  // Called after every change that may change whether all objects are known.
  void Tell();

  VoidTask ReadContents();
  VoidTask ReadNamespace(std::string ns, std::vector<uint64_t> ids);
  StatusTask ReadSome(const std::string& ns, const std::vector<uint64_t>& ids);
  // Takes the content of an object. If it is older than the watch's last event, the object stays
  // unread.
  absl::Status TakeContent(const kube::RawObject& raw);
  // Returns the `ids` that exist and are unread.
  std::vector<uint64_t> StillUnread(const std::vector<uint64_t>& ids) const;

  kube::Client& client_;
  Clock& clock_;
  Random& random_;
  const olm::CsvTerms terms_;
  const Observer observer_;

  absl::flat_hash_map<uint64_t, Entry> entries_;  // by a digest of the UID
  InternTable<Content> contents_;
  InternTable<std::string> namespaces_;
  std::map<kube::NamespacedName, uint32_t> waiting_;  // with the last list that contained it
  size_t unread_ = 0;
  uint32_t list_ = 0;
  bool listed_ = false;
  bool broken_ = false;  // an event could not be decoded
  absl::Status followed_;

  std::map<std::string, std::vector<uint64_t>> to_read_;  // by namespace
  absl::Status read_;                                     // the result of the last read
  Broadcast news_;                                        // there are objects to read
  bool known_ = false;                                    // as last reported
  Broadcast all_known_;                                   // set when all have become known
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_COPY_INDEX_H_
