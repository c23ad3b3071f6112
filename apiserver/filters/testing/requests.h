// Requests, peers and calls of handlers, for tests. Used by one thread.
#ifndef APISERVER_FILTERS_TESTING_REQUESTS_H_
#define APISERVER_FILTERS_TESTING_REQUESTS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/http/message/message.h"

namespace steward::filters {

// A request in the form in which the server passes it to the first filter. REQUIRES: `target`
// parses.
http::Request MakeRequest(std::string_view method, std::string_view target);
// Makes the same request with Request.info filled in.
http::Request MakeReadRequest(std::string_view method, std::string_view target);

// The certificates of some PEM texts, in order.
std::shared_ptr<const http::PeerCertificates> MakePeer(const std::vector<std::string>& pems);

// Runs the handler to its end. REQUIRES: it waits for no outside event.
void Handle(const http::Handler& handler, http::Request& request, http::ResponseWriter& writer);

// A handler that answers 200 "served".
http::Handler ServedHandler();

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_TESTING_REQUESTS_H_
