// The formats of strings that Kubernetes knows in schemas. Pure functions.
#ifndef KUBE_SCHEMA_FORMATS_H_
#define KUBE_SCHEMA_FORMATS_H_

#include <string_view>

namespace steward::kube {

// True for a format that Kubernetes supports for strings, with or without dashes ("date-time").
bool IsStringFormat(std::string_view format);

// True when `text` has the format. Checks byte, cidr, date, date-time, duration, email, hostname,
// ipv4, ipv6, mac, uri, uuid and uuid3 to uuid5, k8s-short-name and k8s-long-name. Every text
// passes for any other format.
bool HasFormat(std::string_view text, std::string_view format);

}  // namespace steward::kube

#endif  // KUBE_SCHEMA_FORMATS_H_
