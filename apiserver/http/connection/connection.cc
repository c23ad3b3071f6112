#include "apiserver/http/connection/connection.h"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <utility>

#include "base/async/cancellation.h"
#include "base/log/log.h"
#include "base/status/macros.h"

namespace steward::http {
namespace asio = boost::asio;
namespace {

std::string Describe(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "not a std::exception";
  }
}

}  // namespace

StatusTask RespondError(const ConnectionEnv& env, ResponseWriter& writer, const HttpError& error,
                        bool close) {
  std::string body = env.error_body(error.code, error.reason, error.message);
  ResponseHead head;
  head.status = error.code;
  head.headers.Add("Content-Type", "application/json");
  head.headers.Add("Cache-Control", "no-cache, private");
  if (error.code == 503) head.headers.Add("Retry-After", "1");
  if (close) head.headers.Add("Connection", "close");
  head.content_length = body.size();
  CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
  std::vector<Segment> segments;
  segments.push_back(OwnedSegment(std::move(body)));
  CO_RETURN_IF_ERROR(co_await writer.Write(std::move(segments)));
  co_return co_await writer.Finish();
}

VoidTask RunHandler(const ConnectionEnv& env, Request& request, ResponseWriter& writer) {
  std::exception_ptr exception;
  try {
    co_await env.handler(request, writer);
  } catch (...) {
    exception = std::current_exception();
  }
  const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
  if (cancellation.cancelled() != asio::cancellation_type::none) {
    if (exception && IsCancellation(exception)) std::rethrow_exception(exception);
    if (exception) {
      log::Error("A cancelled handler ended by an exception", {{"method", request.method},
                                                               {"path", request.path},
                                                               {"auditID", request.audit_id},
                                                               {"err", Describe(exception)}});
    }
    co_return;
  }
  if (exception) {
    log::Error("A handler ended by an exception", {{"method", request.method},
                                                   {"path", request.path},
                                                   {"auditID", request.audit_id},
                                                   {"err", Describe(exception)}});
  } else if (writer.status() == 0) {
    log::Error("A handler did not answer",
               {{"method", request.method}, {"path", request.path}, {"auditID", request.audit_id}});
  }
  if (writer.status() != 0) co_return;
  const HttpError error{500, "InternalError",
                        "Internal error occurred: the request was not answered"};
  // An error here means that the client is gone.
  (co_await RespondError(env, writer, error, false)).IgnoreError();
}

VoidTask Contain(VoidTask task, std::function<void()> end) {
  std::exception_ptr exception;
  try {
    co_await std::move(task);
  } catch (...) {
    exception = std::current_exception();
  }
  if (!exception) co_return;
  const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
  const bool cancelled = cancellation.cancelled() != asio::cancellation_type::none;
  if (cancelled && IsCancellation(exception)) std::rethrow_exception(exception);
  log::Error("A connection ended by an exception", {{"err", Describe(exception)}});
  if (end != nullptr) end();
}

}  // namespace steward::http
