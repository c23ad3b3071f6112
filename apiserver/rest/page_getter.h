// Subresources that are lists of something else than objects of their resource.
#ifndef APISERVER_REST_PAGE_GETTER_H_
#define APISERVER_REST_PAGE_GETTER_H_

#include <cstdint>
#include <string>

#include "apiserver/http/message.h"
#include "base/async/task.h"
#include "kube/meta/names.h"

namespace steward::rest {

// What a GET with `limit` and `continue` asks for.
struct PageRequest {
  kube::NamespacedName name;   // of the object that the subresource belongs to
  int64_t limit = 0;           // at most so many items; 0 = as many as the server sees fit
  std::string continue_token;  // metadata.continue of the page before; not validated
  // By which other servers that are asked for it know the request.
  std::string audit_id;
  std::string traceparent;  // "" = none
};

// Implementations are thread-safe. Errors carry a Kubernetes Status.
class PageGetter {
 public:
  virtual ~PageGetter() = default;
  // The whole page as compact JSON, with apiVersion and kind, and with `continue` in its metadata
  // when it is not the last. `user` is who asks, and outlives the task.
  virtual Task<std::string> GetPage(const http::UserInfo& user, PageRequest request) = 0;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_PAGE_GETTER_H_
