// Reads and writes a payload's record in its ConfigMap. Lives on one executor.
#ifndef PAYLOAD_RECORD_STORE_H_
#define PAYLOAD_RECORD_STORE_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "olm/payload/payload_record.h"

namespace steward::payload {

// Holds the record as Load read it or Change wrote it. After a change by another process, or a
// write whose answer was lost, every Change fails until the record is loaded again. Several tasks
// may call Change; their writes follow one another.
class RecordStore {
 public:
  // REQUIRES: `client` outlives this object. `ns`: the record's namespace.
  RecordStore(kube::Client& client, std::string ns) : client_(client), ns_(std::move(ns)) {}

  // Reads the record live. A missing record is empty. kDataLoss: it cannot be parsed.
  StatusTask Load();

  // Changes the record, and returns once it is stored. An unchanged record is not written. Creates
  // the ConfigMap and its namespace if they are missing. kAborted: another process has changed the
  // record since Load.
  StatusTask Change(std::function<void(olm::PayloadRecord&)> change);

  // Writes the record to make sure that no other process has changed it since Load, and that a
  // process that read it earlier fails at its next write. kAborted as above.
  StatusTask Confirm();

  // Returns the record as it was last read or written; empty before the first Load.
  const olm::PayloadRecord& record() const { return record_; }
  // Returns true once the record was read.
  bool known() const { return known_; }
  const std::string& ns() const { return ns_; }
  // Returns the UID of the ConfigMap; "" = there is none yet.
  const std::string& uid() const { return uid_; }

 private:
  StatusTask Write(const boost::json::object& data);
  Task<boost::json::value> Create(const boost::json::value& object);

  kube::Client& client_;
  const std::string ns_;
  olm::PayloadRecord record_;
  std::string resource_version_;  // "" = there is no ConfigMap
  std::string uid_;
  boost::json::object written_;  // the ConfigMap's data as stored
  bool known_ = false;
  // OK: `record_` equals the stored record.
  absl::Status current_ = absl::AbortedError("the payload's record was not read yet");
  bool writing_ = false;
  Broadcast written_once_;
};

}  // namespace steward::payload

#endif  // PAYLOAD_RECORD_STORE_H_
