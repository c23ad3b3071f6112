// Times in Kubernetes' notation (metav1.Time, metav1.MicroTime). Pure functions.
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
// "2006-01-02T15:04:05.000000Z", the form in audit events and Leases.
std::string FormatRfc3339Micro(absl::Time time);

// Parses RFC 3339 with "Z" or a numeric offset and an optional fraction of any length.
// InvalidArgument for anything else, leap seconds and impossible dates included, as in Kubernetes.
absl::StatusOr<absl::Time> ParseRfc3339(std::string_view text);

}  // namespace steward::kube

#endif  // KUBE_META_TIME_H_
