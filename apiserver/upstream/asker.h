// The user on whose behalf the controllers are asked. Plain values.
#ifndef APISERVER_UPSTREAM_ASKER_H_
#define APISERVER_UPSTREAM_ASKER_H_

#include <string>
#include <utility>
#include <vector>

namespace steward::upstream {

// As it was authenticated. Only what it may see is answered.
struct Asker {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;
  // Of the request that this is asked for; "" = none.
  std::string audit_id;
  std::string traceparent;
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_ASKER_H_
