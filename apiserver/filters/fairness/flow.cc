#include "apiserver/filters/fairness/flow.h"

#include <algorithm>
#include <string>

#include "base/text/ip_address.h"
#include "kube/meta/user_info.h"

namespace steward::filters {

Flow StrangerFlow(const http::Request& request) {
  return {std::string(WithoutPort(request.remote_address)), true};
}

Flow FlowOf(const http::Request& request) {
  const kube::UserInfo& user = request.user;
  const bool stranger = user.name.empty() || user.name == "system:anonymous" ||
                        std::find(user.groups.begin(), user.groups.end(),
                                  "system:unauthenticated") != user.groups.end();
  if (stranger) return StrangerFlow(request);
  return {user.name, false};
}

}  // namespace steward::filters
