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

// The copy of an original as it shall be in each namespace.
struct WantedCopy {
  // REQUIRES: `original` is no copy.
  explicit WantedCopy(const olm::Csv& original);

  std::string source;       // the original's namespace
  std::string json;         // of the copy in no namespace
  olm::StoredCopy content;  // body and status
  ContentDigest digest;
};
// The digest of what a copy carries, for a CompactIndex.
ContentDigest DigestOfCopy(const olm::StoredCopy& copy);

struct SlotResult {
  enum class Kind {
    kRight,    // nothing had to be written
    kCreated,  // and it has the wanted content
    kUpdated,  // likewise
    kDeleted,
    kNotKept,   // the server's answer to the write differs from what was written
    kNotACopy,  // an object that is none, or is not proven to be one, is there: left alone
    kHeld,      // the object is being deleted: left alone
    kStale,     // what was believed of the slot is not so: look again
  };
  Kind kind;
  std::string detail;  // for people
  std::string uid;     // of the object that is there
};

// A caller's knowledge of the slot. `seen` is the object as a live read has just shown it.
struct SlotBelief {
  bool absent = false;
  std::optional<kube::RawObject> seen;
};

// Each call looks, unless the object was seen, before it changes or deletes anything, and every
// change carries the resourceVersion that was looked at, so it changes what it has seen or nothing.
// Errors are those of the client. `may_send` is passed to each write.
class CopyWriter {
 public:
  // REQUIRES: `client` outlives this object.
  explicit CopyWriter(kube::Client& client) : client_(client) {}

  // Makes the slot hold the copy. Creating takes one request, or two where the server does not take
  // the status with it; so does changing, after one that reads.
  // REQUIRES: `wanted` outlives the call.
  Task<SlotResult> Write(const WantedCopy& wanted, std::string ns, SlotBelief belief,
                         kube::SendCheck may_send);

  // Deletes the copy `name` in `ns` when it is proven to be one, and `proofs` say that it is not
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
