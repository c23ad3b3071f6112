// The record of a payload in a cluster: how far it is, and what it removed. Values and pure
// functions.
#ifndef OLM_PAYLOAD_PAYLOAD_RECORD_H_
#define OLM_PAYLOAD_PAYLOAD_RECORD_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "olm/payload/payload.h"
#include "olm/payload/removal.h"

namespace steward::olm {

inline constexpr std::string_view kRecordName = "steward-payload-record";  // of the ConfigMap
// The reason for which minor updates wait (R-003-20).
inline constexpr std::string_view kDeletesInProgress = "ResourceDeletesInProgress";

inline constexpr size_t kMaxRemovals = 1000;  // that a payload may ask for
// The limit of all removals, those of earlier payloads included.
inline constexpr size_t kMaxRecordedRemovals = 2 * kMaxRemovals;
inline constexpr size_t kMaxRecord = 900 << 10;  // bytes; a ConfigMap holds 1 MiB

struct PayloadRecord {
  std::string version;  // "" = no payload yet
  std::string hash;     // of what was applied: PayloadHash
  PayloadState state = PayloadState::kUpdating;
  // When all of the payload was done; until then it is being updated, also after a restart.
  std::optional<absl::Time> completed;
  std::map<PayloadIdentity, Removal> removals;
  // Counts up where a process makes sure that the record is still its own: writers that have read
  // it before then conflict.
  int64_t turn = 0;

  std::optional<Removal> Find(const PayloadIdentity& identity) const;
  // The removals for which minor updates wait: `ConfigMap "ns/name" (Ongoing since …)`, in order.
  std::vector<std::string> Holding() const;
};

// The removals that hold in one sentence; "" where none does. At most 1 KiB.
std::string HoldingSentence(const PayloadRecord& record);

// The data of the ConfigMap. kResourceExhausted where it would be too large.
absl::StatusOr<boost::json::object> WritePayloadRecord(const PayloadRecord& record);
// Reads it again; empty data is no payload yet. kDataLoss says what cannot be read: nothing may be
// deleted on such a record.
absl::StatusOr<PayloadRecord> ReadPayloadRecord(const boost::json::object& data);

// A digest of the version and the manifests, which are those that a cluster takes: another one is
// an update (R-003-54).
std::string PayloadHash(std::string_view version, const std::vector<PayloadManifest>& manifests);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_PAYLOAD_RECORD_H_
