// Whose share a request comes out of.
#ifndef APISERVER_FILTERS_FAIRNESS_FLOW_H_
#define APISERVER_FILTERS_FAIRNESS_FLOW_H_

#include <string>

#include "apiserver/http/message.h"

namespace steward::filters {

// All requests of one flow share among themselves what they get. Users are flows of their own.
// Strangers, whom nobody has authenticated, are told apart by the address that they come from
// alone, and share what is set aside for them.
struct Flow {
  std::string name;
  bool stranger = false;
};

// By the address without its port ("" = unknown): of a request before it is authenticated.
Flow StrangerFlow(const http::Request& request);
// By Request.user: a stranger is system:anonymous, or in the group system:unauthenticated.
Flow FlowOf(const http::Request& request);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_FAIRNESS_FLOW_H_
