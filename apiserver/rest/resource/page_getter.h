// Subresources whose answer is a list of something other than objects of the resource.
// Implementations are thread-safe.
#ifndef APISERVER_REST_RESOURCE_PAGE_GETTER_H_
#define APISERVER_REST_RESOURCE_PAGE_GETTER_H_

#include <cstdint>
#include <string>

#include "apiserver/http/message/message.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"

namespace steward::rest {

// The parameters of a GET with `limit` and `continue`.
struct PageRequest {
  kube::NamespacedName name;   // of the object that the subresource belongs to
  int64_t limit = 0;           // at most this many items; 0 = the server's choice
  std::string continue_token;  // metadata.continue of the page before; not validated
  // The identifiers under which other servers log the request.
  std::string audit_id;
  std::string traceparent;  // "" = none
};

// Errors carry a Kubernetes Status.
class PageGetter {
 public:
  virtual ~PageGetter() = default;
  // Returns the whole page as compact JSON, with apiVersion and kind. If the page is not the last,
  // its metadata has `continue`. `user` is the requester, and outlives the task.
  virtual Task<std::string> GetPage(const kube::UserInfo& user, PageRequest request) = 0;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_RESOURCE_PAGE_GETTER_H_
