// Tests of the filters that need only a request: audit id, response headers, errors, impersonation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "apiserver/filters/audit/audit_id.h"
#include "apiserver/filters/errors.h"
#include "apiserver/filters/impersonation.h"
#include "apiserver/filters/response_headers.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/clock/fake_clock.h"

namespace steward::filters {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr char kUuid[] = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

TEST(AuditIdTest, UuidsAreVersion4) {
  for (const double value : {0.0, 0.3, 0.5, 0.999999}) {
    FixedRandom random(value);
    EXPECT_THAT(NewUuid(random), MatchesRegex(kUuid));
  }
  EXPECT_NE(NewUuid(Random::Real()), NewUuid(Random::Real()));
}

TEST(AuditIdTest, AdoptsWhatIsUsable) {
  struct Row {
    std::string given;
    bool adopted;
  };
  const Row rows[] = {
      {"0b1a8d6c-3f0e-4a44-a4a5-0123456789ab", true},
      {"anything-visible!", true},
      {std::string(128, 'a'), true},
      {std::string(129, 'a'), false},
      {"", false},
      {"two words", false},
      {"line\nbreak", false},
      {"\xc3\xa9", false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.given);
    FixedRandom random(0.5);
    http::Request request = MakeRequest("GET", "/");
    request.headers.Add("audit-id", row.given);
    rest::RecordingWriter writer;
    Handle(WithAuditId(WithResponseHeaders(ServedHandler()), random), request, writer);
    if (row.adopted) {
      EXPECT_EQ(request.audit_id, row.given);
    } else {
      EXPECT_THAT(request.audit_id, MatchesRegex(kUuid));
    }
    EXPECT_EQ(writer.Header("Audit-Id"), request.audit_id);
  }
}

TEST(AuditIdTest, TakesAValidTraceparent) {
  struct Row {
    std::vector<std::string> given;
    std::string want;
  };
  const std::string good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const Row rows[] = {{{good}, good}, {{}, ""}, {{"00-x"}, ""}, {{good, good}, ""}};
  for (const Row& row : rows) {
    FixedRandom random(0.5);
    http::Request request = MakeRequest("GET", "/");
    for (const std::string& value : row.given) request.headers.Add("Traceparent", value);
    rest::RecordingWriter writer;
    Handle(WithAuditId(ServedHandler(), random), request, writer);
    EXPECT_EQ(request.traceparent, row.want);
  }
}

VoidTask RespondCacheable(http::ResponseWriter& writer) {
  http::ResponseHead head;
  head.headers.Add("Cache-Control", "public");
  const absl::Status sent = co_await writer.WriteHead(std::move(head));
  sent.IgnoreError();
}

TEST(ResponseHeadersTest, CacheControlUnlessSet) {
  http::Request request = MakeRequest("GET", "/");
  rest::RecordingWriter plain;
  Handle(WithResponseHeaders(ServedHandler()), request, plain);
  EXPECT_EQ(plain.Header("Cache-Control"), "no-cache, private");
  EXPECT_EQ(plain.body(), "served");
  EXPECT_EQ(plain.misuse(), "");

  rest::RecordingWriter cacheable;
  Handle(WithResponseHeaders(
             [](http::Request&, http::ResponseWriter& writer) { return RespondCacheable(writer); }),
         request, cacheable);
  EXPECT_EQ(cacheable.Header("Cache-Control"), "public");
}

TEST(ResponseHeadersTest, ClosesHttp2ConnectionsOfStrangers) {
  struct Row {
    std::string protocol;
    std::string user;
    std::string connection;
  };
  const Row rows[] = {
      {"HTTP/2.0", "alice", ""},
      {"HTTP/2.0", "system:anonymous", "close"},
      {"HTTP/1.1", "system:anonymous", ""},
  };
  for (const Row& row : rows) {
    http::Request request = MakeRequest("GET", "/");
    request.protocol = row.protocol;
    request.user.name = row.user;
    rest::RecordingWriter writer;
    Handle(WithResponseHeaders(ServedHandler()), request, writer);
    EXPECT_EQ(writer.Header("Connection"), row.connection) << row.protocol << " " << row.user;
  }
}

VoidTask Throw(bool after_head, http::ResponseWriter& writer) {
  if (after_head) {
    const absl::Status sent = co_await writer.WriteHead({});
    sent.IgnoreError();
  }
  throw std::runtime_error("secret detail");
}

VoidTask ThrowCancellation() {
  throw boost::system::system_error(boost::asio::error::operation_aborted);
  co_return;
}

TEST(ErrorsTest, ExceptionIs500WithoutItsText) {
  http::Request request = MakeRequest("GET", "/");
  rest::RecordingWriter writer;
  Handle(WithErrors([](http::Request&, http::ResponseWriter& w) { return Throw(false, w); }),
         request, writer);
  EXPECT_EQ(writer.status(), 500);
  EXPECT_THAT(writer.body(), HasSubstr("InternalError"));
  EXPECT_THAT(writer.body(), Not(HasSubstr("secret detail")));
}

TEST(ErrorsTest, BegunResponseStaysCut) {
  http::Request request = MakeRequest("GET", "/");
  rest::RecordingWriter writer;
  Handle(WithErrors([](http::Request&, http::ResponseWriter& w) { return Throw(true, w); }),
         request, writer);
  EXPECT_EQ(writer.status(), 200);
  EXPECT_FALSE(writer.finished());
}

TEST(ErrorsTest, CancellationPasses) {
  http::Request request = MakeRequest("GET", "/");
  rest::RecordingWriter writer;
  const http::Handler handler =
      WithErrors([](http::Request&, http::ResponseWriter&) { return ThrowCancellation(); });
  EXPECT_THROW(Handle(handler, request, writer), boost::system::system_error);
  EXPECT_EQ(writer.status(), 0);
}

TEST(ImpersonationTest, RefusedByAnyOfItsHeaders) {
  for (const char* name :
       {"Impersonate-User", "impersonate-group", "Impersonate-Uid", "IMPERSONATE-EXTRA-scopes"}) {
    http::Request request = MakeRequest("GET", "/apis/g/v1/widgets");
    request.headers.Add(name, "admin");
    rest::RecordingWriter writer;
    Handle(WithoutImpersonation(ServedHandler()), request, writer);
    EXPECT_EQ(writer.status(), 403) << name;
    EXPECT_THAT(writer.body(), HasSubstr("does not impersonate")) << name;
  }
  http::Request request = MakeRequest("GET", "/apis/g/v1/widgets");
  rest::RecordingWriter writer;
  Handle(WithoutImpersonation(ServedHandler()), request, writer);
  EXPECT_EQ(writer.status(), 200);
}

}  // namespace
}  // namespace steward::filters
