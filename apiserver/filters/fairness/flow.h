// Flows: the parties that share places for requests. Values and pure functions.
#ifndef APISERVER_FILTERS_FAIRNESS_FLOW_H_
#define APISERVER_FILTERS_FAIRNESS_FLOW_H_

#include <string>

#include "apiserver/http/message/message.h"

namespace steward::filters {

// The requests of one flow share its places among themselves. Each user is a flow. A request that
// is not authenticated is a stranger's. Strangers are told apart by address alone, and share a pool
// of places of their own.
struct Flow {
  std::string name;
  bool stranger = false;
};

// The flow of a request before it is authenticated: its address without the port ("" = unknown).
Flow StrangerFlow(const http::Request& request);
// The flow by Request.user: a stranger is system:anonymous, or in the group system:unauthenticated.
Flow FlowOf(const http::Request& request);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_FAIRNESS_FLOW_H_
