// Requests, peers and calls of handlers, for tests.
#ifndef APISERVER_FILTERS_TESTING_REQUESTS_H_
#define APISERVER_FILTERS_TESTING_REQUESTS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/http/message.h"

namespace steward::filters {

// A request as the server hands it to the first filter. REQUIRES: `target` parses.
http::Request MakeRequest(std::string_view method, std::string_view target);
// With Request.info filled in as well.
http::Request MakeReadRequest(std::string_view method, std::string_view target);

// The certificates of some PEM texts, in order.
std::shared_ptr<const http::PeerCertificates> MakePeer(const std::vector<std::string>& pems);

// Runs the handler to its end. REQUIRES: it waits for nothing from outside.
void Handle(const http::Handler& handler, http::Request& request, http::ResponseWriter& writer);

// Answers 200 "served".
http::Handler ServedHandler();

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_TESTING_REQUESTS_H_
