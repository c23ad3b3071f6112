// The HTTP handler of resources. Thread-safe.
#ifndef APISERVER_REST_HANDLER_H_
#define APISERVER_REST_HANDLER_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/resource.h"
#include "base/async/stop_signal.h"
#include "base/clock/clock.h"
#include "base/splice/deflated_texts.h"

namespace steward::rest {

struct HandlerOptions {
  Random& random;  // outlives the handler
  // A watch without a requested duration lasts between one and two times this long.
  absl::Duration min_request_timeout = absl::Minutes(30);
  // Called for each watch, which ends when the returned signal is set; the signal outlives the
  // response. Null: watches end only by themselves.
  std::function<const StopSignal*()> stop = nullptr;
  // Called before each request for a resource, known or not. If it returns an error, which carries
  // a Kubernetes Status, that error is the answer. Called on any thread. Null: resources are
  // always available.
  std::function<absl::Status()> available = nullptr;
  // The compressed texts of all responses. Null: the handler has its own, of the default size.
  std::shared_ptr<DeflatedTexts> texts = nullptr;
  // The clock by which credentials end; outlives the handler.
  Clock& clock = Clock::Real();
};

// Serves these resources, by Request.info, which a filter has filled in:
//  - each verb for which the resource or subresource has the capability; 405 for every other verb,
//    HEAD and deletecollection included;
//  - 404 as a Status for unknown resources and subresources of a served group version, and for
//    paths with further segments or a superfluous namespace; 404 as text for everything else, and
//    for all verbs but lists and watches of a namespaced resource without a namespace.
// The capabilities outlive the handler, or are kept alive by Resource::owner.
http::Handler MakeResourceHandler(std::vector<Resource> resources, HandlerOptions options);

}  // namespace steward::rest

#endif  // APISERVER_REST_HANDLER_H_
