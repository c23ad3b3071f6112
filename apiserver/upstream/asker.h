// The user on whose behalf the controllers are called. Plain values.
#ifndef APISERVER_UPSTREAM_ASKER_H_
#define APISERVER_UPSTREAM_ASKER_H_

#include <string>

#include "kube/meta/user_info.h"

namespace steward::upstream {

// The user and request for which the controllers are called. Their answers contain only what this
// user may see.
struct Asker {
  kube::UserInfo user;  // as authenticated
  // Identifiers of the user's request; "" = none.
  std::string audit_id;
  std::string traceparent;
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_ASKER_H_
