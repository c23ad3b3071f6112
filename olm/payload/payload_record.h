// The record of a payload in a cluster: its progress, and its removals. Values and pure functions.
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
  // When all of the payload was done; until then the update goes on, also after a restart.
  std::optional<absl::Time> completed;
  std::map<PayloadIdentity, Removal> removals;
  // Incremented by a process to make sure that it still owns the record: the write makes other
  // processes conflict if they read the record earlier.
  int64_t turn = 0;

  std::optional<Removal> Find(const PayloadIdentity& identity) const;
  // The removals that minor updates wait for, as `ConfigMap "ns/name" (Ongoing since …)`, in order.
  std::vector<std::string> Holding() const;
};

// One sentence about the removals that minor updates wait for; "" if there are none. At most 1 KiB.
std::string HoldingSentence(const PayloadRecord& record);

// The data of the ConfigMap. kResourceExhausted if it would be too large.
absl::StatusOr<boost::json::object> WritePayloadRecord(const PayloadRecord& record);
// Reads the data of the ConfigMap; empty data means that there is no payload yet. kDataLoss says
// what cannot be read. After it, nothing may be deleted.
absl::StatusOr<PayloadRecord> ReadPayloadRecord(const boost::json::object& data);

// A digest of the version and of `manifests`, which a cluster takes. A different digest is an
// update (R-003-54).
std::string PayloadHash(std::string_view version, const std::vector<PayloadManifest>& manifests);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_PAYLOAD_RECORD_H_
