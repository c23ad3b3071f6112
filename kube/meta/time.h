// Times as Kubernetes writes them (metav1.Time, metav1.MicroTime).
#ifndef KUBE_META_TIME_H_
#define KUBE_META_TIME_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace steward::kube {

// "2006-01-02T15:04:05Z": UTC, fractions of seconds dropped (rounded towards the past).
// REQUIRES: a year from 0 to 9999.
std::string FormatRfc3339(absl::Time time);
// "2006-01-02T15:04:05.000000Z", as audit events and Leases have it.
std::string FormatRfc3339Micro(absl::Time time);

// Reads RFC 3339 with "Z" or a numeric offset and an optional fraction of any length.
// InvalidArgument for anything else, leap seconds and impossible dates included, as in Kubernetes.
absl::StatusOr<absl::Time> ParseRfc3339(std::string_view text);

}  // namespace steward::kube

#endif  // KUBE_META_TIME_H_
