// RawObjects made from owned bytes. Pure functions.
#ifndef KUBE_CLIENT_RAW_OBJECT_H_
#define KUBE_CLIENT_RAW_OBJECT_H_

#include <string>

#include "kube/client/client.h"

namespace steward::kube {

// A RawObject that owns `json`; its padding is zero bytes.
RawObject OwnedRawObject(std::string json);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_RAW_OBJECT_H_
