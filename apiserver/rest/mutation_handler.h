// The HTTP handling of the writing verbs. Each task runs on its caller's executor.
#ifndef APISERVER_REST_MUTATION_HANDLER_H_
#define APISERVER_REST_MUTATION_HANDLER_H_

#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/mutation.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/reviewer.h"
#include "base/async/task.h"
#include "kube/meta/names.h"

namespace steward::rest {

// Each function writes the whole response: 201 for a create or a review, else 200, in a form
// negotiated as for a get, with the warnings. It makes all checks that do not need the capability
// before it calls the capability. The caller must answer an error when nothing was sent yet; any
// other error means that the client is gone. The subresource and a new object's namespace are those
// of request.info. Parameters passed by reference must outlive the task.
StatusTask ServeCreate(const Resource& resource, Creator& creator, const http::Request& request,
                       http::ResponseWriter& writer);
StatusTask ServeReview(const Resource& resource, Reviewer& reviewer, const http::Request& request,
                       http::ResponseWriter& writer);
StatusTask ServeUpdate(const Resource& resource, Updater& updater, kube::NamespacedName name,
                       const http::Request& request, http::ResponseWriter& writer);
StatusTask ServePatch(const Resource& resource, Patcher& patcher, kube::NamespacedName name,
                      const http::Request& request, http::ResponseWriter& writer);
StatusTask ServeDelete(const Resource& resource, Deleter& deleter, kube::NamespacedName name,
                       const http::Request& request, http::ResponseWriter& writer);

}  // namespace steward::rest

#endif  // APISERVER_REST_MUTATION_HANDLER_H_
