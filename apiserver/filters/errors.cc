#include "apiserver/filters/errors.h"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <exception>
#include <string>
#include <utility>

#include "apiserver/filters/request/status_response.h"
#include "base/log/log.h"
#include "kube/meta/status.h"

namespace steward::filters {
namespace {

VoidTask Answer(const std::string& what, http::Request& request, http::ResponseWriter& writer) {
  log::Error("A handler threw an exception",
             {{"exception", what}, {"path", request.path}, {"auditID", request.audit_id}});
  // The exception's text stays in the log: it was not written for clients.
  if (writer.status() == 0) {
    co_await RespondStatus(request, writer,
                           kube::InternalError("the request could not be handled"));
  }
}

VoidTask Serve(const http::Handler& next, http::Request& request, http::ResponseWriter& writer) {
  std::string what;
  try {
    co_await next(request, writer);
    co_return;
  } catch (const boost::system::system_error& e) {
    if (e.code() == boost::asio::error::operation_aborted) throw;
    what = e.what();
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
    what = "not a std::exception";
  }
  co_await Answer(what, request, writer);
}

}  // namespace

http::Handler WithErrors(http::Handler next) {
  return [next = std::move(next)](http::Request& request, http::ResponseWriter& writer) {
    return Serve(next, request, writer);
  };
}

}  // namespace steward::filters
