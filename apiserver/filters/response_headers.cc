#include "apiserver/filters/response_headers.h"

#include <utility>

namespace steward::filters {
namespace {

class HeaderWriter : public http::ResponseWriter {
 public:
  HeaderWriter(const http::Request& request, http::ResponseWriter& inner)
      : request_(request), inner_(inner) {}

  StatusTask WriteHead(http::ResponseHead head) override {
    head.headers.Set("Audit-Id", request_.audit_id);
    if (head.headers.Find("Cache-Control") == nullptr) {
      head.headers.Add("Cache-Control", "no-cache, private");
    }
    const bool unknown_client = head.status == 401 || request_.user.name == "system:anonymous";
    if (unknown_client && request_.protocol == "HTTP/2.0") head.headers.Set("Connection", "close");
    return inner_.WriteHead(std::move(head));
  }
  StatusTask Write(std::vector<http::Segment> segments) override {
    return inner_.Write(std::move(segments));
  }
  StatusTask Finish() override { return inner_.Finish(); }
  void Settled() override { inner_.Settled(); }
  int status() const override { return inner_.status(); }
  uint64_t bytes_written() const override { return inner_.bytes_written(); }

 private:
  const http::Request& request_;
  http::ResponseWriter& inner_;
};

VoidTask Serve(const http::Handler& next, http::Request& request, http::ResponseWriter& writer) {
  HeaderWriter with_headers(request, writer);
  co_await next(request, with_headers);
}

}  // namespace

http::Handler WithResponseHeaders(http::Handler next) {
  return [next = std::move(next)](http::Request& request, http::ResponseWriter& writer) {
    return Serve(next, request, writer);
  };
}

}  // namespace steward::filters
