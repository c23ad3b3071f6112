#include "apiserver/http/connection/connection_harness.h"

#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <stdexcept>
#include <utility>

#include "base/async/run.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace {

constexpr size_t kBlock = 64 << 10;
constexpr size_t kBlocks = 100;
constexpr size_t kSplicedBytes = 1 << 20;

struct Hanging {
  explicit Hanging(HandlerLog& l) : log(l) { ++log.hanging; }
  ~Hanging() { --log.hanging; }
  HandlerLog& log;
};

StatusTask WriteText(ResponseWriter& writer, std::string text) {
  std::vector<Segment> segments;
  segments.push_back(OwnedSegment(std::move(text)));
  co_return co_await writer.Write(std::move(segments));
}

StatusTask Stream(ResponseWriter& writer, HandlerLog& log, bool with_length, bool settled) {
  Hanging hanging(log);
  ResponseHead head;
  head.websocket = true;
  if (with_length) head.content_length = kBlock * kBlocks;
  CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
  if (settled) writer.Settled();
  for (size_t i = 0; i < kBlocks; ++i) {
    const auto block = std::make_shared<const std::string>(kBlock, 'x');
    const std::string_view text = *block;
    std::vector<Segment> segments;
    segments.push_back({text.substr(0, 100), block});
    segments.push_back({text.substr(100), block});
    CO_RETURN_IF_ERROR(co_await writer.Write(std::move(segments)));
    ++log.writes;
  }
  CO_RETURN_IF_ERROR(co_await writer.Finish());
  ++log.finished;
  co_return absl::OkStatus();
}

StatusTask Splice(ResponseWriter& writer, HandlerLog& log) {
  Hanging hanging(log);
  auto shared = std::make_shared<const std::string>(kSplicedBytes, 's');
  std::vector<Segment> segments;
  segments.push_back({*shared, shared, /*shared=*/true});
  segments.push_back(OwnedSegment(std::string(kBlock, 'o')));
  ResponseHead head;
  head.content_length = kSplicedBytes + kBlock;
  CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
  CO_RETURN_IF_ERROR(co_await writer.Write(std::move(segments)));
  co_return co_await writer.Finish();
}

// A watch that has settled and says much, none of which others hold.
StatusTask Chatter(ResponseWriter& writer, HandlerLog& log, Clock& clock) {
  Hanging hanging(log);
  CO_RETURN_IF_ERROR(co_await writer.WriteHead(ResponseHead()));
  writer.Settled();
  CO_RETURN_IF_ERROR(co_await WriteText(writer, std::string(kBlock, 'c')));
  for (;;) co_await clock.Sleep(absl::Hours(1));
}

VoidTask Hang(HandlerLog& log, Clock& clock) {
  Hanging hanging(log);
  for (;;) co_await clock.Sleep(absl::Hours(1));
}

VoidTask ThrowWhenCancelled(HandlerLog& log, Clock& clock) {
  try {
    co_await Hang(log, clock);
  } catch (const boost::system::system_error&) {
  }
  throw std::runtime_error("thrown by the cancelled test handler");
}

StatusTask SendEvents(ResponseWriter& writer, HandlerLog& log, Clock& clock, bool ends) {
  ResponseHead head;
  head.headers.Add("X-Bad", "a\r\nInjected: b");
  head.websocket = true;
  CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
  CO_RETURN_IF_ERROR(co_await WriteText(writer, "one\n"));
  CO_RETURN_IF_ERROR(co_await WriteText(writer, "two\n"));
  if (!ends) co_await Hang(log, clock);
  CO_RETURN_IF_ERROR(co_await writer.Finish());
  ++log.finished;
  co_return absl::OkStatus();
}

// Announces ten bytes, or a body of unknown length, and writes something else.
StatusTask WriteWrongly(ResponseWriter& writer, std::string_view path) {
  ResponseHead head;
  if (path != "/half") head.content_length = 10;
  CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
  CO_RETURN_IF_ERROR(co_await WriteText(writer, path == "/long" ? "0123456789ab" : "0123"));
  if (path == "/half") co_return absl::OkStatus();
  co_return co_await writer.Finish();
}

StatusTask WriteHeadOnly(ResponseWriter& writer, int status, bool close) {
  ResponseHead head;
  head.status = status;
  head.headers.Add("X-Bad", "a\r\nInjected: b");
  if (close) head.headers.Add("Connection", "close");
  if (status != 204) head.content_length = 0;
  CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
  co_return co_await writer.Finish();
}

StatusTask Echo(Request& request, ResponseWriter& writer) {
  absl::StatusOr<std::string> body = std::string();
  if (request.incoming != nullptr) body = co_await request.incoming->Read(kEchoLimit);
  if (body.ok()) co_return co_await Respond(writer, 200, "text/plain", *std::move(body));
  int code = 400;
  std::string_view reason = "BadRequest";
  if (absl::IsOutOfRange(body.status())) {
    code = 413;
    reason = "RequestEntityTooLarge";
  } else if (absl::IsResourceExhausted(body.status())) {
    code = 503;
    reason = "ServiceUnavailable";
  }
  std::string answer = TestErrorBody(code, reason, ToStd(body.status().message()));
  co_return co_await Respond(writer, code, "application/json", std::move(answer));
}

VoidTask Handle(Request& request, ResponseWriter& writer, HandlerLog& log, Clock& clock) {
  log.requests.push_back(StrCat(request.method, " ", request.path));
  log.last = request;
  request.authenticated = request.path != "/stranger";
  const std::string& path = request.path;
  absl::Status status;
  if (path == "/echo") {
    status = co_await Echo(request, writer);
  } else if (path == "/stream" || path == "/start" || path == "/length") {
    status = co_await Stream(writer, log, path == "/length", path == "/stream");
  } else if (path == "/spliced") {
    status = co_await Splice(writer, log);
  } else if (path == "/chatter") {
    status = co_await Chatter(writer, log, clock);
  } else if (path == "/events" || path == "/ended") {
    status = co_await SendEvents(writer, log, clock, path == "/ended");
  } else if (path == "/hang") {
    co_await Hang(log, clock);
  } else if (path == "/defiant") {
    co_await ThrowWhenCancelled(log, clock);
  } else if (path == "/open") {
    status = co_await writer.WriteHead(ResponseHead());
    if (status.ok()) status = co_await WriteText(writer, "event\n");
    if (status.ok()) co_await Hang(log, clock);
  } else if (path == "/throw") {
    throw std::runtime_error("thrown by the test handler");
  } else if (path == "/short" || path == "/long" || path == "/half") {
    status = co_await WriteWrongly(writer, path);
  } else if (path == "/empty" || path == "/close") {
    status = co_await WriteHeadOnly(writer, path == "/empty" ? 204 : 200, path == "/close");
  } else if (path != "/silent") {
    status = co_await Respond(writer, 200, "text/plain", "hello\n");
  }
  if (!status.ok() && writer.status() == 0) {
    const int code = absl::IsPermissionDenied(status) ? 403 : 400;
    status = co_await Respond(writer, code, "text/plain", std::string(status.message()));
  }
  status.IgnoreError();
  ++log.returned;
}

VoidTask ServeAndTell(std::shared_ptr<Connection> connection, bool& serving) {
  struct AtEnd {
    explicit AtEnd(bool& s) : serving(s) {}
    ~AtEnd() { serving = false; }
    bool& serving;
  } at_end(serving);
  co_await connection->Serve();
}

}  // namespace

Handler TestHandler(HandlerLog& log, Clock& clock) {
  return [&log, &clock](Request& request, ResponseWriter& writer) {
    return Handle(request, writer, log, clock);
  };
}

std::string TestErrorBody(int code, std::string_view reason, std::string_view message) {
  return StrCat("{\"code\":", code, ",\"reason\":\"", reason, "\",\"message\":\"", message, "\"}");
}

ConnectionHarness::ConnectionHarness(Make make, Limits limits, Timeouts timeouts, bool front_proxy)
    : limits_(limits),
      timeouts_(timeouts),
      handler_(TestHandler(log_, clock_)),
      error_body_(TestErrorBody),
      memory_(limits),
      deadlines_(absl::Seconds(1)),
      date_(clock_),
      tasks_(io_.get_executor()),
      stream_(io_.get_executor()),
      pass_(gate_.Admit({})) {
  pass_->Enter([this] { stream_.Abort(); });
  pass_->Settle(front_proxy);
  const ConnectionEnv env{limits_,    timeouts_, handler_, error_body_, memory_,
                          deadlines_, date_,     tasks_,   *pass_};
  PeerInfo peer;
  peer.remote_address = "192.0.2.1:55";
  peer.certificates = std::make_shared<const PeerCertificates>(std::vector<std::string>{"leaf"});
  peer.front_proxy = front_proxy;
  connection_ = make(io_.get_executor(), stream_, env, std::move(peer));
  tasks_.Spawn("connection", ServeAndTell(connection_, serving_));
  Run();
}

ConnectionHarness::~ConnectionHarness() { RunOn(io_, tasks_.Stop()); }

void ConnectionHarness::Run() {
  io_.restart();
  io_.poll();
}

void ConnectionHarness::RunBeside(const std::function<bool()>& happened,
                                  std::function<void()> meanwhile) {
  io_.restart();
  while (io_.poll_one() > 0) {
    if (meanwhile && happened()) {
      boost::asio::post(io_, std::exchange(meanwhile, nullptr));
    }
  }
}

void ConnectionHarness::Shed() {
  gate_.Shed();
  Run();
}

void ConnectionHarness::Feed(std::string bytes) {
  stream_.Feed(std::move(bytes));
  Run();
}

void ConnectionHarness::End() {
  stream_.End();
  Run();
}

void ConnectionHarness::Tick(int seconds) {
  for (int i = 0; i < seconds; ++i) {
    for (bool more = deadlines_.Tick(); more; more = deadlines_.RunDue()) Run();
    Run();
  }
}

}  // namespace steward::http
