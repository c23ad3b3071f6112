// Serves resources over HTTP.
#ifndef APISERVER_REST_HANDLER_H_
#define APISERVER_REST_HANDLER_H_

#include <vector>

#include "apiserver/http/message.h"
#include "apiserver/rest/resource.h"

namespace steward::rest {

// Answers by Request.info, which a filter has filled in, for these resources:
// - get, list and subresources where the resource has the capability; 405 for every other verb,
//   HEAD and watch included;
// - 404 as a Status for unknown resources and subresources of a served group version, and for paths
//   that do not fit the resource's scope; 404 as text for everything else.
// The capabilities outlive the handler. Thread-safe.
http::Handler MakeResourceHandler(std::vector<Resource> resources);

}  // namespace steward::rest

#endif  // APISERVER_REST_HANDLER_H_
