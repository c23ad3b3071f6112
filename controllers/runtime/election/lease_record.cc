#include "controllers/runtime/election/lease_record.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <limits>
#include <string_view>

#include "base/json/json_access.h"
#include "kube/meta/time.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

int64_t IntAt(const json::object& parent, std::string_view key) {
  const json::value* value = parent.if_contains(key);
  if (value == nullptr) return 0;
  if (value->is_int64()) return std::max<int64_t>(value->get_int64(), 0);
  if (value->is_uint64()) return std::numeric_limits<int32_t>::max();
  return 0;
}

}  // namespace

LeaseRecord ReadLease(const json::value& lease) {
  LeaseRecord record;
  const json::object* object = lease.if_object();
  const json::object* spec = object == nullptr ? nullptr : ObjectAt(*object, "spec");
  if (spec == nullptr) return record;
  record.holder = StringAt(*spec, "holderIdentity");
  record.duration_seconds = IntAt(*spec, "leaseDurationSeconds");
  record.acquire_time = StringAt(*spec, "acquireTime");
  record.renew_time = StringAt(*spec, "renewTime");
  record.transitions = IntAt(*spec, "leaseTransitions");
  return record;
}

json::value NewLease(const kube::NamespacedName& name, const LeaseRecord& record) {
  json::value lease = {{"apiVersion", "coordination.k8s.io/v1"},
                       {"kind", "Lease"},
                       {"metadata", {{"name", name.name}, {"namespace", name.ns}}}};
  WriteLease(record, lease);
  return lease;
}

void WriteLease(const LeaseRecord& record, json::value& lease) {
  json::value& spec = lease.as_object()["spec"];
  if (!spec.is_object()) spec.emplace_object();
  json::object& fields = spec.get_object();
  fields["holderIdentity"] = record.holder;
  fields["leaseDurationSeconds"] = record.duration_seconds;
  fields["acquireTime"] = record.acquire_time;
  fields["renewTime"] = record.renew_time;
  fields["leaseTransitions"] = record.transitions;
}

LeaseRecord HeldBy(const std::string& identity, const LeaseRecord& current,
                   absl::Duration lease_duration, absl::Time now) {
  LeaseRecord record = current;
  record.duration_seconds = absl::ToInt64Seconds(lease_duration);
  record.renew_time = kube::FormatRfc3339Micro(now);
  // If the clock was set back, the renewal must still change the record.
  if (record.renew_time == current.renew_time) {
    record.renew_time = kube::FormatRfc3339Micro(now + absl::Microseconds(1));
  }
  if (current.holder != identity) {
    record.holder = identity;
    record.acquire_time = record.renew_time;
    // The first holder of a new Lease does not count as a transition.
    if (!current.renew_time.empty()) ++record.transitions;
  }
  if (record.acquire_time.empty()) record.acquire_time = record.renew_time;
  return record;
}

LeaseRecord Released(const LeaseRecord& current, absl::Time now) {
  LeaseRecord record = current;
  record.holder.clear();
  record.duration_seconds = 1;
  record.renew_time = kube::FormatRfc3339Micro(now);
  record.acquire_time = record.renew_time;
  return record;
}

}  // namespace steward::controllers
