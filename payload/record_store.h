// The record of a payload in its ConfigMap. Lives on one executor.
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

// Nothing is known of the record but what Load has read and Change has written: another process
// that changes it, or a write whose answer is lost, ends all changes until it is loaded again.
// Several tasks may change it; their writes go one after the other.
class RecordStore {
 public:
  // REQUIRES: `client` outlives this object. `ns`: the record's namespace.
  RecordStore(kube::Client& client, std::string ns) : client_(client), ns_(std::move(ns)) {}

  // Reads it live; where there is none it is empty. kDataLoss where it cannot be understood.
  StatusTask Load();

  // Changes the record, and returns once it is stored. What does not change is not written. The
  // ConfigMap is made when there is none, and its namespace as well. kAborted when another process
  // has changed it since Load.
  StatusTask Change(std::function<void(olm::PayloadRecord&)> change);

  // Makes sure, by a write, that no other process has changed the record since Load, and none goes
  // on that has read it before. kAborted as above.
  StatusTask Confirm();

  // As it was last read or written; empty before.
  const olm::PayloadRecord& record() const { return record_; }
  // True once it was read.
  bool known() const { return known_; }
  const std::string& ns() const { return ns_; }
  // The UID of the ConfigMap; "" = there is none yet.
  const std::string& uid() const { return uid_; }

 private:
  StatusTask Write(const boost::json::object& data);
  Task<boost::json::value> Create(const boost::json::value& object);

  kube::Client& client_;
  const std::string ns_;
  olm::PayloadRecord record_;
  std::string resource_version_;  // "" = there is no ConfigMap
  std::string uid_;
  boost::json::object written_;  // the data as it is stored
  bool known_ = false;
  // OK: the record is what is stored.
  absl::Status current_ = absl::AbortedError("the payload's record was not read yet");
  bool writing_ = false;
  Broadcast written_once_;
};

}  // namespace steward::payload

#endif  // PAYLOAD_RECORD_STORE_H_
