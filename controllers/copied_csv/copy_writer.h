// The requests that bring one slot into the state it shall have. Lives on one executor.
#ifndef CONTROLLERS_COPIED_CSV_COPY_WRITER_H_
#define CONTROLLERS_COPIED_CSV_COPY_WRITER_H_

#include <optional>
#include <string>

#include "base/async/task.h"
#include "controllers/copied_csv/source_proofs.h"
#include "controllers/runtime/compact_index.h"
#include "kube/client/client.h"
#include "kube/meta/write_options.h"
#include "olm/copy/stored_copy.h"
#include "olm/objects.h"

namespace steward::controllers {

// The wanted copy of an original; the same in each namespace.
struct WantedCopy {
  // REQUIRES: `original` is not a copy.
  explicit WantedCopy(const olm::Csv& original);

  std::string source;       // the original's namespace
  std::string json;         // of the copy, without a namespace
  olm::StoredCopy content;  // body and status
  ContentDigest digest;
};
// The digest of a copy's content, for a CompactIndex.
ContentDigest DigestOfCopy(const olm::StoredCopy& copy);

struct SlotResult {
  enum class Kind {
    kRight,    // nothing had to be written
    kCreated,  // created with the wanted content
    kUpdated,  // updated to the wanted content
    kDeleted,
    kNotKept,   // the server's answer to the write differs from what was written
    kNotACopy,  // the object there is not a copy, or not a proven one: left alone
    kHeld,      // the object is being deleted: left alone
    kStale,     // the belief about the slot was wrong: look again
  };
  Kind kind;
  std::string detail;  // for people
  std::string uid;     // of the object in the slot
};

// The caller's belief about the slot. `seen` is the object from a live read just before.
struct SlotBelief {
  bool absent = false;
  std::optional<kube::RawObject> seen;
};

// Each call reads the object before it changes or deletes it, unless the belief has it. Every write
// has the resourceVersion that was read, so it changes the object that was seen, or nothing. Errors
// are those of the client. `may_send` is passed to each write.
class CopyWriter {
 public:
  // REQUIRES: `client` outlives this object.
  explicit CopyWriter(kube::Client& client) : client_(client) {}

  // Makes the slot hold the copy. A create takes one request, or two if the server drops the status
  // of the first. An update takes the same after one read. REQUIRES: `wanted` outlives the call.
  Task<SlotResult> Write(const WantedCopy& wanted, std::string ns, SlotBelief belief,
                         kube::SendCheck may_send);

  // Deletes the object `name` in `ns` if it is a proven copy, and `proofs` prove that it is not
  // wanted. REQUIRES: `proofs` outlives the call.
  Task<SlotResult> Remove(std::string name, olm::NamespacePtr ns, SlotBelief belief,
                          SourceProofs& proofs, kube::SendCheck may_send);

 private:
  struct Stored;

  Task<Stored> Read(kube::NamespacedName key, std::optional<kube::RawObject> seen);
  Task<Stored> Create(const WantedCopy& wanted, std::string ns, kube::SendCheck may_send);
  Task<Stored> Update(const WantedCopy& wanted, Stored stored, std::string subresource,
                      kube::SendCheck may_send);

  kube::Client& client_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_CSV_COPY_WRITER_H_
