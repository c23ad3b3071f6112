// The source addresses of a request. Pure functions.
#ifndef APISERVER_FILTERS_AUDIT_SOURCE_ADDRESSES_H_
#define APISERVER_FILTERS_AUDIT_SOURCE_ADDRESSES_H_

#include <string>
#include <vector>

#include "apiserver/http/message/message.h"

namespace steward::filters {

// The valid addresses of X-Forwarded-For and X-Real-Ip, then the peer's own, as Kubernetes reads
// them (k8s.io/apimachinery/pkg/util/net, SourceIPs). All addresses but the last are the client's
// claims. Returns at most 16 addresses: the last ones.
std::vector<std::string> SourceAddresses(const http::Request& request);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUDIT_SOURCE_ADDRESSES_H_
