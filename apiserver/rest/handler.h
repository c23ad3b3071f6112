// Serves resources over HTTP.
#ifndef APISERVER_REST_HANDLER_H_
#define APISERVER_REST_HANDLER_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/http/message.h"
#include "apiserver/rest/resource.h"
#include "base/async/stop_signal.h"
#include "base/clock/clock.h"
#include "base/splice/deflated_texts.h"

namespace steward::rest {

struct HandlerOptions {
  Random& random;  // outlives the handler
  // Watches that don't say how long they want to last do so for between this and twice as long.
  absl::Duration min_request_timeout = absl::Minutes(30);
  // Called for each watch, which ends when what it returns is set; that outlives the answer. Null:
  // watches end by themselves only.
  std::function<const StopSignal*()> stop = nullptr;
  // Keeps compressed text for all answers. Null: the handler has its own, of the default size.
  std::shared_ptr<DeflatedTexts> texts = nullptr;
};

// Answers by Request.info, which a filter has filled in, for these resources:
// - each verb that the resource or subresource has the capability for; 405 for every other verb,
//   HEAD and deletecollection included;
// - 404 as a Status for unknown resources and subresources of a served group version, and for paths
//   that go on behind them or name a namespace too many; 404 as text for everything else, and for
//   all but lists and watches of a namespaced resource in no namespace.
// The capabilities outlive the handler, or are kept alive by Resource::owner. Thread-safe.
http::Handler MakeResourceHandler(std::vector<Resource> resources, HandlerOptions options);

}  // namespace steward::rest

#endif  // APISERVER_REST_HANDLER_H_
