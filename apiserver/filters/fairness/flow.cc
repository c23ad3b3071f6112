#include "apiserver/filters/fairness/flow.h"

#include <algorithm>

namespace steward::filters {

Flow StrangerFlow(const http::Request& request) {
  return {request.remote_address.substr(0, request.remote_address.rfind(':')), true};
}

Flow FlowOf(const http::Request& request) {
  const http::UserInfo& user = request.user;
  const bool stranger = user.name.empty() || user.name == "system:anonymous" ||
                        std::find(user.groups.begin(), user.groups.end(),
                                  "system:unauthenticated") != user.groups.end();
  if (stranger) return StrangerFlow(request);
  return {user.name, false};
}

}  // namespace steward::filters
