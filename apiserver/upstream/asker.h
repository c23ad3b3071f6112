// The user on whose behalf the controllers are called. Plain values.
#ifndef APISERVER_UPSTREAM_ASKER_H_
#define APISERVER_UPSTREAM_ASKER_H_

#include <string>
#include <utility>
#include <vector>

namespace steward::upstream {

// The user as authenticated. The controllers' answers contain only what this user may see.
struct Asker {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;
  // Identifiers of the user's request; "" = none.
  std::string audit_id;
  std::string traceparent;
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_ASKER_H_
