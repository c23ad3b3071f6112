#include "apiserver/http/http2/http2_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/http/connection/connection_harness.h"
#include "apiserver/http/http2/http2_connection_fixture.h"
#include "apiserver/http/http2/http2_test_client.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::Pair;
using ::testing::Pointee;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST_F(Http2ConnectionTest, Settings) {
  Open();
  EXPECT_EQ(client_->remote_setting(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS), 1000u);
  EXPECT_EQ(client_->remote_setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE), 64u << 10);
  EXPECT_EQ(client_->remote_setting(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE), 63u << 10);
}

// nghttp2 treats a field of more than 64 KiB as an error of the whole connection. A front proxy's
// connection is shared by many users, so its transport has to refuse such a request by itself.
TEST_F(Http2ConnectionTest, NobodyIsAskedForAFieldThatEndsTheConnection) {
  Open(FrontProxyLimits({}), true, /*front_proxy=*/true);
  EXPECT_EQ(client_->remote_setting(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE), 63u << 10);
  // The HPACK code of '~' is no shorter than the character.
  EXPECT_EQ(Get(StrCat("/hello?x=", std::string(65'500, '~'))).status, 200);
  EXPECT_EQ(client_
                ->response(Exchanged(
                    client_->Request("GET", "/hello", "", {{"x", std::string(65'536, '~')}})))
                .status,
            200);
  EXPECT_EQ(client_->goaway(), std::nullopt);

  Limits limits;
  limits.max_target_bytes = 8 << 10;
  Open(limits);
  EXPECT_EQ(client_->remote_setting(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE), 63u << 10);
  EXPECT_EQ(Get(StrCat("/hello?x=", std::string(65'500, '~'))).status, 414);
  EXPECT_EQ(client_
                ->response(Exchanged(
                    client_->Request("GET", "/hello", "", {{"x", std::string(65'536, '~')}})))
                .status,
            431);
  EXPECT_EQ(client_->goaway(), std::nullopt);
  limits.max_header_bytes = 4 << 10;
  Open(limits);
  EXPECT_EQ(client_->remote_setting(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE), 12u << 10);
}

TEST_F(Http2ConnectionTest, Answers) {
  Open();
  const Http2TestResponse& response = Get("/hello");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "hello\n");
  EXPECT_TRUE(response.ended);
  EXPECT_THAT(response.closed, Optional(0u));
  EXPECT_THAT(response.fields,
              UnorderedElementsAre(Pair("content-type", "text/plain"), Pair("content-length", "6"),
                                   Pair("date", "Tue, 14 Nov 2023 22:13:20 GMT")));
  EXPECT_EQ(harness_->request_memory(), 0u);
}

TEST_F(Http2ConnectionTest, RequestIsFilledIn) {
  Open();
  client_->Request("POST", "/a%20b?x=1+2", "",
                   {{"x-remote-group", "g1"}, {"x-remote-group", "g2"}});
  Exchange();
  const Request& request = harness_->log().last;
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/a%20b?x=1+2");
  EXPECT_EQ(request.path, "/a b");
  EXPECT_THAT(request.Query("x"), Pointee(std::string("1 2")));
  EXPECT_THAT(request.headers.FindAll("X-Remote-Group"), ElementsAre("g1", "g2"));
  EXPECT_THAT(request.headers.Find("Host"), Pointee(std::string("h")));
  EXPECT_EQ(request.protocol, "HTTP/2.0");
  EXPECT_EQ(request.remote_address, "192.0.2.1:55");
  EXPECT_THAT(request.peer->der, ElementsAre("leaf"));
}

TEST_F(Http2ConnectionTest, WhiteSpaceAroundAValueIsTrimmed) {
  Open();
  const int32_t get =
      client_->Request("GET", "/hello", "", {{"authorization", "Bearer "}, {"x", " \t"}});
  Exchange();
  EXPECT_EQ(client_->response(get).status, 200);
  EXPECT_THAT(harness_->log().last.headers.Find("Authorization"), Pointee(std::string("Bearer")));
  EXPECT_THAT(harness_->log().last.headers.Find("x"), Pointee(std::string()));
}

TEST_F(Http2ConnectionTest, KindsOfResponses) {
  Open();
  struct Row {
    std::string path;
    int status;
    uint32_t closed;
    std::string body;
  };
  const Row rows[] = {
      {"/empty", 204, 0, ""},
      {"/close?x", 200, 0, ""},
      {"/throw", 500, 0, "InternalError"},
      {"/silent", 500, 0, "InternalError"},
      {"/short", 200, NGHTTP2_INTERNAL_ERROR, "0123"},
      {"/long", 200, NGHTTP2_INTERNAL_ERROR, ""},
      {"/half", 200, NGHTTP2_INTERNAL_ERROR, "0123"},
      {"/bad%", 400, 0, "invalid URL escape"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.path);
    Open();
    const Http2TestResponse& response = Get(row.path);
    EXPECT_THAT(response.closed, Optional(row.closed));
    if (row.closed == 0) {
      EXPECT_EQ(response.status, row.status);
      EXPECT_THAT(response.body, HasSubstr(row.body));
    } else {
      EXPECT_FALSE(response.ended);
    }
    EXPECT_EQ(harness_->serving(), row.path != "/close?x");
  }
}

TEST_F(Http2ConnectionTest, Bodies) {
  Open();
  const std::string body(1 << 20, 'b');
  const int32_t post = client_->Request("POST", "/echo", body);
  const int32_t head = client_->Request("HEAD", "/length");
  const int32_t expect = client_->Request("POST", "/echo", "", {{"expect", "100-continue"}}, false);
  const int32_t unread =
      client_->Request("POST", "/hello", "", {{"expect", "100-continue"}}, false);
  Exchange();
  EXPECT_EQ(client_->response(post).body, body);
  EXPECT_EQ(client_->response(head).body, "");
  EXPECT_EQ(client_->response(head).fields.at("content-length"), StrCat(kStreamBody));
  EXPECT_EQ(client_->response(expect).informational, 100);
  EXPECT_EQ(client_->response(unread).informational, 0) << "nobody wants the body";
  EXPECT_EQ(client_->response(unread).body, "hello\n");
  client_->Reset(expect, NGHTTP2_CANCEL);
  client_->Reset(unread, NGHTTP2_CANCEL);
  Exchange();
  EXPECT_EQ(harness_->request_memory(), 0u);
}

TEST_F(Http2ConnectionTest, MultiplexesStreams) {
  Open();
  const int32_t hang = client_->Request("GET", "/hang");
  std::vector<int32_t> streams;
  for (int i = 0; i < 20; ++i)
    streams.push_back(client_->Request("GET", i % 2 == 0 ? "/stream" : "/length"));
  Exchange();
  for (const int32_t id : streams) {
    EXPECT_EQ(client_->response(id).body.size(), kStreamBody);
    EXPECT_TRUE(client_->response(id).ended);
  }
  EXPECT_EQ(client_->response(hang).status, 0);
  EXPECT_EQ(harness_->log().hanging, 1);
}

// Hundreds of requests that come at once, or whose connection ends, do not delay others.
TEST_F(Http2ConnectionTest, OtherWorkOfTheThreadHasItsTurn) {
  constexpr int kMany = 100;
  Open();
  for (int i = 0; i < kMany; ++i) client_->Request("GET", "/hang");
  const HandlerLog& log = harness_->log();
  int hanging = 0;
  harness_->stream().Feed(client_->TakeOutput());
  harness_->RunBeside([&log] { return log.hanging > 0; }, [&] { hanging = log.hanging; });
  EXPECT_LE(hanging, 2);
  EXPECT_EQ(log.hanging, kMany);
  harness_->stream().End();
  harness_->RunBeside([&log] { return log.hanging < kMany; }, [&] { hanging = log.hanging; });
  EXPECT_GE(hanging, kMany - 20);
  EXPECT_EQ(log.hanging, 0);
}

TEST_F(Http2ConnectionTest, AFrameWithItsHeaderFillsATlsRecord) {
  Open();
  client_->Request("GET", "/length");
  harness_->Feed(client_->TakeOutput());
  const std::string output = harness_->stream().TakeOutput();
  size_t largest = 0;
  for (size_t at = 0; at + 9 <= output.size();) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(output[at + i]); };
    const size_t size = byte(0) << 16 | byte(1) << 8 | byte(2);
    if (byte(3) == NGHTTP2_DATA) largest = std::max(largest, size);
    at += 9 + size;
  }
  EXPECT_EQ(largest, 16384u - 9);
}

TEST_F(Http2ConnectionTest, ResetCancelsTheHandler) {
  Open();
  const int32_t reset = client_->Request("GET", "/hang");
  const int32_t open = client_->Request("GET", "/open");
  Exchange();
  EXPECT_EQ(client_->response(open).body, "event\n");
  EXPECT_EQ(harness_->log().hanging, 2);
  client_->Reset(reset, NGHTTP2_CANCEL);
  Exchange();
  EXPECT_EQ(harness_->log().hanging, 1);
  EXPECT_EQ(Get("/hello").status, 200);
  EXPECT_EQ(harness_->request_memory() > 0, true);
  harness_->End();
  EXPECT_EQ(harness_->log().hanging, 0);
  EXPECT_FALSE(harness_->serving());
  EXPECT_EQ(harness_->request_memory(), 0u);
}

TEST_F(Http2ConnectionTest, ShutdownLetsStreamsFinish) {
  Open();
  const int32_t post = client_->Request("POST", "/echo", "x", {}, false);
  const int32_t open = client_->Request("GET", "/open");
  Exchange();
  harness_->connection().BeginShutdown();
  harness_->Run();
  Exchange();
  EXPECT_THAT(client_->goaway(), Optional(0u));
  EXPECT_TRUE(harness_->serving());
  EXPECT_EQ(harness_->log().hanging, 1);
  client_->Reset(post, NGHTTP2_CANCEL);
  Exchange();
  EXPECT_TRUE(harness_->serving());
  client_->Reset(open, NGHTTP2_CANCEL);
  Exchange();
  EXPECT_FALSE(harness_->serving());
}

TEST_F(Http2ConnectionTest, ShutdownEndsAnIdleConnectionEvenIfTheClientIsSilent) {
  Open();
  Get("/hello");
  harness_->connection().BeginShutdown();
  harness_->Run();
  EXPECT_TRUE(harness_->serving());
  harness_->Tick(3);
  EXPECT_FALSE(harness_->serving());
}

TEST_F(Http2ConnectionTest, IdleConnectionEnds) {
  Open();
  Get("/hello");
  harness_->Tick(89);
  EXPECT_TRUE(harness_->serving());
  harness_->Tick(3);
  EXPECT_FALSE(harness_->serving());
  Exchange();
  EXPECT_THAT(client_->goaway(), Optional(0u));

  Open();
  Get("/hang");
  harness_->Tick(1000);
  EXPECT_TRUE(harness_->serving());
}

TEST_F(Http2ConnectionTest, LargeBodyIsRefused) {
  // The excess is known from Content-Length, or noticed while receiving.
  for (const bool declared : {true, false}) {
    SCOPED_TRACE(declared);
    Open();
    std::vector<std::pair<std::string, std::string>> fields;
    if (declared) fields.emplace_back("content-length", StrCat(2 * kEchoLimit));
    const int32_t id =
        client_->Request("POST", "/echo", std::string(kEchoLimit + 1, 'x'), fields, false);
    Exchange();
    EXPECT_EQ(client_->response(id).status, 413);
    EXPECT_THAT(client_->response(id).body, HasSubstr("RequestEntityTooLarge"));
    EXPECT_TRUE(client_->response(id).ended);
    harness_->Tick(4);
    Exchange();
    EXPECT_THAT(client_->response(id).closed, Optional<uint32_t>(NGHTTP2_NO_ERROR));
    EXPECT_EQ(Get("/hello").status, 200);
    EXPECT_EQ(harness_->request_memory(), 0u);
  }
}

TEST_F(Http2ConnectionTest, TheHandlerStartsBeforeTheBodyComes) {
  Open();
  const std::string body(1 << 20, 'x');
  std::vector<int32_t> streams;
  for (int i = 0; i < 86; ++i) {
    streams.push_back(client_->Request("POST", "/hang", body, {}, false));
  }
  Exchange();
  EXPECT_EQ(harness_->log().hanging, 86);
  // The server accepts no more of unread bodies than the connection's window.
  EXPECT_LE(harness_->request_memory(), size_t{1} << 20);
  for (const int32_t id : streams) client_->Reset(id, NGHTTP2_CANCEL);
  Exchange();
  EXPECT_EQ(harness_->request_memory(), 0u);
  // The window is free again for other streams.
  const int32_t echo = client_->Request("POST", "/echo", body);
  Exchange();
  EXPECT_EQ(client_->response(echo).body, body);
}

TEST_F(Http2ConnectionTest, AnUnreadBodyIsNotWaitedFor) {
  Open();
  const std::string body(1 << 20, 'x');
  for (int i = 0; i < 10; ++i) {
    const int32_t id = client_->Request("POST", "/hello", body, {}, false);
    Exchange();
    EXPECT_EQ(client_->response(id).body, "hello\n");
    EXPECT_TRUE(client_->response(id).ended);
    harness_->Tick(4);
    Exchange();
    EXPECT_THAT(client_->response(id).closed, Optional<uint32_t>(NGHTTP2_NO_ERROR));
  }
  EXPECT_EQ(harness_->request_memory(), 0u);
}

TEST_F(Http2ConnectionTest, OnlyIdleStrangersMakeRoom) {
  struct Row {
    std::string path;
    bool shed;
  };
  for (const Row& row :
       {Row{"", true}, Row{"/stranger", true}, Row{"/hello", false}, Row{"/hang", false}}) {
    SCOPED_TRACE(row.path);
    Open();
    if (!row.path.empty()) Get(row.path);
    harness_->Shed();
    EXPECT_EQ(harness_->serving(), !row.shed);
  }
}

TEST_F(Http2ConnectionTest, AResponseThatIsNotTakenIsNoRequestThatRuns) {
  struct Row {
    std::vector<std::string> paths;
    bool shed;
  };
  const Row rows[] = {
      {{"/stranger"}, true},
      {{"/stranger", "/stranger"}, true},
      {{"/stranger", "/hang"}, false},
      {{"/hello"}, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(::testing::PrintToString(row.paths));
    Open({}, false);
    // SETTINGS_INITIAL_WINDOW_SIZE is 0: no body is sent.
    harness_->Feed(std::string("\0\0\6\4\0\0\0\0\0\0\4\0\0\0\0", 15));
    for (const std::string& path : row.paths) client_->Request("GET", path);
    harness_->Feed(client_->TakeOutput());
    EXPECT_EQ(harness_->log().requests.size(), row.paths.size());
    EXPECT_GT(harness_->request_memory(), 0u);
    harness_->Shed();
    EXPECT_EQ(harness_->serving(), !row.shed);
  }
}

TEST_F(Http2ConnectionTest, AnExceptionAfterCancellationEndsNothing) {
  Open();
  const int32_t id = client_->Request("GET", "/defiant");
  Exchange();
  EXPECT_EQ(harness_->log().hanging, 1);
  client_->Reset(id, NGHTTP2_CANCEL);
  Exchange();
  EXPECT_EQ(harness_->log().hanging, 0);
  EXPECT_EQ(Get("/hello").status, 200);
}

TEST_F(Http2ConnectionTest, IdleStrangersEndSoon) {
  Open();
  Get("/stranger");
  harness_->Tick(14);
  EXPECT_TRUE(harness_->serving());
  harness_->Tick(3);
  EXPECT_FALSE(harness_->serving());
}

TEST_F(Http2ConnectionTest, LargeHeaderIsRefused) {
  Limits limits;
  limits.max_header_bytes = 100 << 10;
  Open(limits);
  std::vector<std::pair<std::string, std::string>> fields;
  for (int i = 0; i < 10; ++i) fields.emplace_back(StrCat("x-", i), std::string(20 << 10, 'x'));
  const int32_t id = client_->Request("GET", "/hello", "", fields);
  Exchange();
  EXPECT_EQ(client_->response(id).status, 431);
  EXPECT_EQ(Get("/hello").status, 200);
}

// A single byte refers to a field of the HPACK table, but costs the field's whole length.
TEST_F(Http2ConnectionTest, EndlessFieldsEndTheConnection) {
  Open();
  client_->Request("GET", "/hello", "", {5000, {"x", std::string(600, ' ')}});
  Exchange();
  EXPECT_THAT(client_->goaway(), Optional<uint32_t>(NGHTTP2_ENHANCE_YOUR_CALM));
  EXPECT_FALSE(harness_->serving());
}

TEST_F(Http2ConnectionTest, RefusedFieldsAreNotTakenForever) {
  const std::vector<std::pair<std::string, std::string>> fields(500, {"x", "y"});
  Open();
  for (int i = 0; i < 10 && harness_->serving(); ++i) {
    EXPECT_EQ(client_->response(Exchanged(client_->Request("GET", "/hello", "", fields))).status,
              i < 4 ? 431 : 0);
  }
  EXPECT_THAT(client_->goaway(), Optional<uint32_t>(NGHTTP2_ENHANCE_YOUR_CALM));
  EXPECT_FALSE(harness_->serving());

  Limits many_users;
  many_users.many_users = true;
  Open(many_users);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(client_->response(Exchanged(client_->Request("GET", "/hello", "", fields))).status,
              431);
  }
  EXPECT_EQ(Get("/hello").status, 200);
}

TEST_F(Http2ConnectionTest, WhiteSpaceCounts) {
  Open();
  const int32_t id = client_->Request("GET", "/hello", "", {100, {"x", std::string(1000, ' ')}});
  EXPECT_EQ(client_->response(Exchanged(id)).status, 431);
}

TEST_F(Http2ConnectionTest, HeaderUpToTheLimitIsTaken) {
  Limits limits;
  limits.max_target_bytes = 61 << 10;  // nghttp2 accepts no more than 64 KiB of one field
  Open(limits);
  const std::string path = StrCat("/hello?x=", std::string(60 << 10, 'x'));
  std::vector<std::pair<std::string, std::string>> fields;
  for (int i = 0; i < 250; ++i) fields.emplace_back(StrCat("x-", i), std::string(200, 'a'));
  EXPECT_EQ(client_->response(Exchanged(client_->Request("GET", path, "", fields))).status, 200);

  const std::string longer = StrCat("/hello?x=", std::string(62 << 10, 'x'));
  EXPECT_EQ(client_->response(Exchanged(client_->Request("GET", longer))).status, 414);
  const std::string pairs = StrCat("/hello?", std::string(1001, '&'), [] {
    std::string text;
    for (int i = 0; i < 1001; ++i) text += "a&";
    return text;
  }());
  EXPECT_EQ(client_->response(Exchanged(client_->Request("GET", pairs))).status, 400);
  for (int i = 0; i < 10; ++i) fields.emplace_back(StrCat("y-", i), "");
  EXPECT_EQ(client_->response(Exchanged(client_->Request("GET", "/hello", "", fields))).status,
            431);
}

TEST_F(Http2ConnectionTest, RequestMemoryIsBounded) {
  Limits limits;
  limits.max_request_memory = 100 << 10;
  Open(limits);
  const int32_t id = client_->Request("POST", "/echo", std::string(150 << 10, 'x'));
  Exchange();
  EXPECT_EQ(client_->response(id).status, 503);
  harness_->Tick(4);
  Exchange();
  EXPECT_EQ(harness_->request_memory(), 0u);
}

TEST_F(Http2ConnectionTest, MemoryForAStreamIsNeededToBegin) {
  Limits limits;
  limits.max_connection_memory = 20 << 10;
  Open(limits);
  std::vector<int32_t> streams;
  for (int i = 0; i < 10; ++i) streams.push_back(client_->Request("GET", "/hang"));
  Exchange();
  EXPECT_EQ(client_->response(streams.back()).status, 503);
  EXPECT_EQ(client_->response(streams.back()).fields.at("retry-after"), "1");
  EXPECT_LE(harness_->request_memory(), limits.max_connection_memory);
  EXPECT_GE(harness_->log().hanging, 2);
}

TEST_F(Http2ConnectionTest, MalformedRequestsAreReset) {
  using Fields = std::vector<std::pair<std::string, std::string>>;
  const Fields cases[] = {
      {{":method", "GET"}, {":scheme", "https"}},
      {{":scheme", "https"}, {":path", "/"}, {":authority", "h"}},
      {{":method", "GET"}, {":method", "GET"}, {":scheme", "https"}, {":path", "/"}},
      {{":method", "GET"}, {":scheme", "https"}, {":path", "/"}, {":strange", "x"}},
      {{":method", "GET"}, {":scheme", "https"}, {":path", "/"}, {"connection", "close"}},
      {{":method", "GET"}, {"a", "b"}, {":scheme", "https"}, {":path", "/"}},
  };
  Open();
  for (const Fields& fields : cases) {
    SCOPED_TRACE(::testing::PrintToString(fields));
    const int32_t id = client_->RawRequest(fields);
    Exchange();
    EXPECT_THAT(client_->response(id).closed, Optional<uint32_t>(NGHTTP2_PROTOCOL_ERROR));
  }
  const int32_t connect = client_->RawRequest({{":method", "CONNECT"}, {":authority", "h:1"}});
  Exchange();
  EXPECT_EQ(client_->response(connect).status, 405);
  EXPECT_EQ(Get("/hello").status, 200);
  EXPECT_THAT(harness_->log().requests, SizeIs(1));
  // No deadline is left behind for a header that was never complete.
  client_->Request("GET", "/hang");
  Exchange();
  harness_->Tick(100);
  EXPECT_TRUE(harness_->serving());
}

// The rules of RFC 9113 sections 5.1 and 5.1.1.
TEST_F(Http2ConnectionTest, HeadersOnPastStreamsEndTheConnection) {
  const struct {
    std::string name;
    std::vector<char> ids;
    uint32_t error;
  } kRows[] = {
      {"again", {1, 1}, NGHTTP2_STREAM_CLOSED},
      {"passed over", {5, 3}, NGHTTP2_PROTOCOL_ERROR},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    Open();
    client_->Request("GET", "/hello");
    std::string request = client_->TakeOutput();
    // The client's state must include the other streams, too.
    client_->Request("GET", "/hello");
    client_->Request("GET", "/hello");
    client_->TakeOutput();
    for (const char id : row.ids) {
      request[8] = id;
      harness_->Feed(request);
      Exchange();
    }
    EXPECT_THAT(client_->goaway(), Optional(row.error));
    EXPECT_FALSE(harness_->serving());
    EXPECT_THAT(harness_->log().requests, SizeIs(1));
  }
}

// The client does not know yet that its stream is gone.
TEST_F(Http2ConnectionTest, LateTrailersAreIgnored) {
  Open({}, false);
  client_->Request("GET", "/stream", "x", {}, false);
  std::string request = client_->TakeOutput();
  harness_->Feed(request);
  harness_->Tick(70);  // reset: the client takes nothing
  harness_->Feed(request.substr(0, 9 + static_cast<size_t>(request[2])));
  Exchange();
  EXPECT_EQ(client_->goaway(), std::nullopt);
  EXPECT_TRUE(harness_->serving());
}

TEST_F(Http2ConnectionTest, HalfAHeaderEndsInTime) {
  Open();
  client_->Request("GET", "/hello");
  const std::string bytes = client_->TakeOutput();
  harness_->Feed(bytes.substr(0, bytes.size() - 1));
  harness_->Tick(34);
  EXPECT_FALSE(harness_->serving());
}

TEST_F(Http2ConnectionTest, HalfABodyIsResetInTime) {
  Open();
  const int32_t id = client_->Request("POST", "/echo", "x", {}, false);
  Exchange();
  harness_->Tick(62);
  Exchange();
  EXPECT_THAT(client_->response(id).closed, Optional<uint32_t>(NGHTTP2_CANCEL));
  EXPECT_TRUE(harness_->serving());
}

TEST_F(Http2ConnectionTest, RapidResetEndsTheConnection) {
  Open();
  for (int i = 0; i < 5000 && harness_->serving(); ++i) {
    const int32_t id = client_->Request("GET", "/hang");
    std::string bytes = client_->TakeOutput();
    client_->Reset(id, NGHTTP2_CANCEL);
    bytes += client_->TakeOutput();
    harness_->Feed(std::move(bytes));
  }
  EXPECT_FALSE(harness_->serving());
  EXPECT_EQ(harness_->log().hanging, 0);
  // Streams that were reset before their handler could start have no handler.
  EXPECT_LE(harness_->log().requests.size(), 2500u);
}

// All users share the connection, so one user's resets must not end it.
TEST_F(Http2ConnectionTest, ResetsDoNotEndAFrontProxysConnection) {
  Open(FrontProxyLimits({}), true, /*front_proxy=*/true);
  for (int i = 0; i < 5000 && harness_->serving(); ++i) {
    const int32_t id = client_->Request("GET", "/hang");
    std::string bytes = client_->TakeOutput();
    client_->Reset(id, NGHTTP2_CANCEL);
    bytes += client_->TakeOutput();
    harness_->Feed(std::move(bytes));
  }
  EXPECT_TRUE(harness_->serving());
  EXPECT_EQ(harness_->log().hanging, 0);
  EXPECT_EQ(Get("/hello").status, 200);
  EXPECT_EQ(client_->goaway(), std::nullopt);
}

TEST_F(Http2ConnectionTest, PingFloodOfABlockedConnectionEndsIt) {
  Open();
  harness_->stream().HoldWrites(true);
  for (int i = 0; i < 5000 && harness_->serving(); ++i) {
    client_->Ping();
    harness_->Feed(client_->TakeOutput());
  }
  EXPECT_FALSE(harness_->serving());
}

TEST_F(Http2ConnectionTest, StreamsAreLimited) {
  Limits limits;
  limits.max_concurrent_streams = 3;
  Open(limits);
  for (int i = 0; i < 5; ++i) client_->Request("GET", "/hang");
  Exchange();
  EXPECT_EQ(harness_->log().hanging, 3);
}

TEST_F(Http2ConnectionTest, GarbageEndsTheConnection) {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff", 33)}) {
    ConnectionHarness harness(MakeHttp2Connection);
    harness.Feed(bytes);
    EXPECT_FALSE(harness.serving());
  }
}

}  // namespace
}  // namespace steward::http
