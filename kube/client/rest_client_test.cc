#include "kube/client/rest_client.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/text/str_cat.h"
#include "kube/client/provider_version.h"
#include "kube/client/rest_test_fixture.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Then = TestServer::Then;

using RestClientTest = RestTest;

std::string RequestLine(const std::string& request) {
  return request.substr(0, request.find("\r\n"));
}

TEST_F(RestClientTest, ListsAsAsked) {
  ClientConfig config = Config();
  config.path_prefix = "/proxy";
  config.token = "secret";
  RestClientOptions options;
  options.user_agent = "steward/1.2";
  Connect(config, options);
  server_->Answer(
      Response(200, R"({"kind":"PodList","metadata":{"resourceVersion":"12","continue":"abc"},)"
                    R"("items":[{"metadata":{"name":"a"}} , {"metadata":{"name":"b"}}]})"));
  ListOptions list;
  list.ns = "n";
  list.limit = 2;
  list.label_selector = "a in (b,c)";
  ASSERT_OK_AND_ASSIGN(const ListPage page, List(list));
  EXPECT_EQ(page.resource_version, "12");
  EXPECT_EQ(page.continue_token, "abc");
  ASSERT_THAT(page.items, SizeIs(2));
  EXPECT_EQ(page.items[0].json, R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(page.items[1].json, R"({"metadata":{"name":"b"}})");
  ASSERT_THAT(server_->requests(), SizeIs(1));
  const std::string& request = server_->requests()[0];
  EXPECT_EQ(RequestLine(request),
            "GET /proxy/api/v1/namespaces/n/pods?labelSelector=a%20in%20%28b%2Cc%29&limit=2 "
            "HTTP/1.1");
  for (const std::string& header :
       {std::string("Authorization: Bearer secret\r\n"),
        std::string("Accept: application/json\r\n"), std::string("User-Agent: steward/1.2\r\n"),
        StrCat("Host: 127.0.0.1:", server_->port(), "\r\n")}) {
    EXPECT_THAT(request, HasSubstr(header));
  }
}

TEST_F(RestClientTest, AsksForMetadataOnly) {
  Connect();
  server_->Answer(
      Response(200, R"({"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"7"},)"
                    R"("items":[{"metadata":{"name":"a"}}]})"));
  ListOptions list;
  list.metadata_only = true;
  ASSERT_OK_AND_ASSIGN(const ListPage page, List(list));
  EXPECT_THAT(page.items, SizeIs(1));
  WatchOptions options;
  options.metadata_only = true;
  server_->Answer(Response(200, ""));
  ASSERT_OK(Finish(client_->StartWatch(kPods, options)));
  ASSERT_THAT(server_->requests(), SizeIs(2));
  EXPECT_THAT(server_->requests()[0],
              HasSubstr("Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
                        "application/json\r\n"));
  EXPECT_THAT(server_->requests()[1],
              HasSubstr("Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
                        "application/json\r\n"));
}

TEST_F(RestClientTest, AsksForVersions) {
  Connect();
  server_->Answer(Response(200, R"({"gitVersion":"v1.36.0"})"));
  ASSERT_OK_AND_ASSIGN(const std::string kubernetes, Finish(client_->ServerVersion()));
  EXPECT_EQ(kubernetes, "v1.36.0");
  const GroupVersion views = {"example.com", "v1"};
  server_->Answer(Response(200, R"({"openapi":"3.0.0","info":{"version":"v0.1.0"},"paths":{}})"));
  ASSERT_OK_AND_ASSIGN(const std::string provider, Finish(ReadProviderVersion(*client_, views)));
  EXPECT_EQ(provider, "v0.1.0");
  EXPECT_EQ(RequestLine(server_->requests()[1]), "GET /openapi/v3/apis/example.com/v1 HTTP/1.1");
  for (const char* answer : {"{}", R"({"info":{}})", R"({"info":[]})", "[]"}) {
    server_->Answer(Response(200, answer));
    EXPECT_EQ(Finish(ReadProviderVersion(*client_, views)).status().code(),
              absl::StatusCode::kDataLoss)
        << answer;
  }
  server_->Answer(Response(404, "404 page not found"));
  EXPECT_TRUE(IsNotServed(Finish(ReadProviderVersion(*client_, views)).status()));
}

TEST_F(RestClientTest, KeepsConnections) {
  Connect();
  for (int i = 0; i < 3; ++i) {
    server_->Answer(Response(200, R"({"metadata":{"name":"a"}})"));
    ASSERT_OK_AND_ASSIGN(const RawObject object, Finish(client_->Get(kPods, {"n", "a"})));
    EXPECT_EQ(object.json, R"({"metadata":{"name":"a"}})");
    for (size_t k = 0; k < RawObject::kPadding; ++k) EXPECT_EQ(*(object.json.end() + k), '\0');
  }
  EXPECT_EQ(server_->connections_accepted(), 1);
}

TEST_F(RestClientTest, DoesNotKeepConnectionsTheServerCloses) {
  Connect();
  server_->Answer(Response(200, kEmptyList, "Connection: close\r\n"), Then::kClose);
  server_->Answer(Response(200, kEmptyList));
  ASSERT_OK(List());
  ASSERT_OK(List());
  EXPECT_EQ(server_->connections_accepted(), 2);
}

TEST_F(RestClientTest, OldIdleConnectionsAreNotUsed) {
  Connect();
  server_->Answer(Response(200, kEmptyList));
  server_->Answer(Response(200, kEmptyList));
  ASSERT_OK(List());
  clock_.Advance(absl::Seconds(61));
  ASSERT_OK(List());
  EXPECT_EQ(server_->connections_accepted(), 2);
}

// The server closed the connection while it was idle, which the client notices before using it.
TEST_F(RestClientTest, ConnectionClosedWhileIdleIsReplaced) {
  Connect();
  server_->Answer(Response(200, kEmptyList));
  ASSERT_OK(List());
  server_->CloseConnections();
  RunUntil([&] { return server_->connections_open() == 0; });
  server_->Answer(Response(200, "{}"));
  ASSERT_OK(Finish(client_->Create(kPods, "n", boost::json::object(), WriteOptions())));
  EXPECT_EQ(server_->connections_accepted(), 2);
}

// The server closes just when the request arrives: a read is sent again, once; a write is not.
TEST_F(RestClientTest, StaleConnectionIsRetriedForReadsOnly) {
  Connect();
  server_->Answer(Response(200, kEmptyList));
  server_->Answer("", Then::kClose);
  server_->Answer(Response(200, kEmptyList));
  ASSERT_OK(List());
  ASSERT_OK(List());
  EXPECT_THAT(server_->requests(), SizeIs(3));

  server_->Answer("", Then::kClose);
  server_->Answer(Response(201, "{}"));
  EXPECT_THAT(Finish(client_->Create(kPods, "n", boost::json::object(), WriteOptions())),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(server_->requests(), SizeIs(4));
}

TEST_F(RestClientTest, FreshConnectionThatFailsIsNotRetried) {
  Connect();
  server_->Answer("", Then::kClose);
  EXPECT_THAT(List(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(server_->requests(), SizeIs(1));
}

struct BadAnswer {
  const char* name;
  std::string bytes;
  absl::StatusCode code;
  const char* message;
};

// Invalid answers, of which none may hang or crash the client.
TEST_F(RestClientTest, BadAnswers) {
  const std::vector<BadAnswer> rows = {
      {"rubbish", "SSH-2.0-OpenSSH\r\n\r\n", absl::StatusCode::kUnavailable, "not HTTP"},
      {"half a head", "HTTP/1.1 200 OK\r\nConte", absl::StatusCode::kUnavailable, "within"},
      {"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
       absl::StatusCode::kUnavailable, "within"},
      {"half a chunk", StrCat(ChunkedHead(), "ff\r\n{"), absl::StatusCode::kUnavailable, "within"},
      {"bad chunk", StrCat(ChunkedHead(), "zz\r\n{"), absl::StatusCode::kUnavailable, "not HTTP"},
      {"chunks without end", StrCat(ChunkedHead(), Chunk(kEmptyList)),
       absl::StatusCode::kUnavailable, "within"},
      {"huge head", StrCat("HTTP/1.1 200 OK\r\nX: ", std::string(100 << 10, 'x')),
       absl::StatusCode::kUnavailable, ""},
      {"interim answers only", StrCat("HTTP/1.1 100 Continue\r\n\r\n"),
       absl::StatusCode::kUnavailable, "within"},
      {"not JSON", Response(200, "<html>"), absl::StatusCode::kDataLoss, "not a list"},
      {"no list", Response(200, "[]"), absl::StatusCode::kDataLoss, "not a list"},
      {"no kind", Response(200, R"({"metadata":{"resourceVersion":"7"},"items":[]})"),
       absl::StatusCode::kDataLoss, "kind"},
      {"no items", Response(200, R"({"kind":"PodList","metadata":{"resourceVersion":"7"}})"),
       absl::StatusCode::kDataLoss, "items"},
      {"no revision", Response(200, R"({"kind":"PodList","items":[]})"),
       absl::StatusCode::kDataLoss, "resourceVersion"},
      {"redirect", Response(302, "", "Location: /x\r\n"), absl::StatusCode::kInternal, "302"},
      {"too large", Response(200, StrCat(kEmptyList, std::string(2000, ' '))),
       absl::StatusCode::kResourceExhausted, "larger than 1000"},
  };
  RestClientOptions options;
  options.max_list_bytes = 1000;
  Connect(Config(), options);
  for (const BadAnswer& row : rows) {
    SCOPED_TRACE(row.name);
    server_->Answer(row.bytes, Then::kClose);
    const absl::Status status = List().status();
    EXPECT_THAT(status.message(), HasSubstr(row.message));
    EXPECT_EQ(status.code(), row.code) << status;
  }
}

// The smaller of two limits holds: that of the call, and that of the client.
TEST_F(RestClientTest, AListMayBeAskedForInFewBytes) {
  RestClientOptions options;
  options.max_list_bytes = 1000;
  Connect(Config(), options);
  for (const size_t asked : {size_t{300}, size_t{5000}}) {
    server_->Answer(Response(200, StrCat(kEmptyList, std::string(2000, ' '))), Then::kClose);
    ListOptions list;
    list.max_bytes = asked;
    EXPECT_THAT(List(list),
                StatusIs(absl::StatusCode::kResourceExhausted,
                         HasSubstr(StrCat("larger than ", std::min(asked, size_t{1000})))));
  }
}

TEST_F(RestClientTest, InterimAnswersAreSkipped) {
  Connect();
  server_->Answer(StrCat("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", Response(200, kEmptyList)));
  EXPECT_OK(List());
}

TEST_F(RestClientTest, ReadsBodiesOfAllFramings) {
  Connect();
  const std::string_view a = kEmptyList.substr(0, 20);
  const std::string_view b = kEmptyList.substr(20);
  server_->Answer(StrCat(ChunkedHead(), Chunk(a), Chunk(b), Chunk("")));
  EXPECT_OK(List());
  server_->Answer(StrCat("HTTP/1.0 200 OK\r\n\r\n", kEmptyList), Then::kClose);
  EXPECT_OK(List());
  // The list is larger than any buffer on the way.
  const std::string filler(300 << 10, ' ');
  server_->Answer(StrCat(ChunkedHead(), Chunk(filler), Chunk(kEmptyList), Chunk("")));
  EXPECT_OK(List());
}

struct RetryRow {
  const char* name;
  bool read_only;
  std::vector<std::string> answers;
  size_t requests;
  int code;  // of the result; 0 = success
};

TEST_F(RestClientTest, Retries) {
  const std::string ok = Response(200, kEmptyList);
  const auto busy = [](int code) { return Response(code, "", "Retry-After: 1\r\n"); };
  const std::vector<RetryRow> rows = {
      {"429 then success", true, {busy(429), ok}, 2, 0},
      {"429 without a time", true, {Response(429, ""), ok}, 2, 0},
      {"429 of a write", false, {busy(429), ok}, 2, 0},
      {"503 with a time of a write", false, {busy(503)}, 1, 503},
      {"503 with a time", true, {busy(503), busy(503), ok}, 3, 0},
      {"503 without a time of a write", false, {Response(503, "")}, 1, 503},
      {"500 with a time", true, {busy(500), ok}, 2, 0},
      {"asked for ever", true, std::vector<std::string>(5, busy(429)), 5, 429},
      {"500 for ever", true, std::vector<std::string>(3, Response(500, "")), 3, 500},
      {"504 then success", true, {Response(504, ""), Response(502, ""), ok}, 3, 0},
      {"500 of a write", false, {Response(500, "")}, 1, 500},
      {"403", true, {Response(403, "")}, 1, 403},
      {"404 with a time", true, {busy(404)}, 1, 404},
      {"longer than the time limit", true, {Response(429, "", "Retry-After: 3600\r\n")}, 1, 429},
  };
  Connect();
  for (const RetryRow& row : rows) {
    SCOPED_TRACE(row.name);
    const size_t before = server_->requests().size();
    for (const std::string& answer : row.answers) server_->Answer(answer);
    absl::Status status;
    if (row.read_only) {
      status = List().status();
    } else {
      status = Finish(client_->Create(kPods, "n", boost::json::object(), WriteOptions())).status();
    }
    EXPECT_EQ(server_->requests().size() - before, row.requests);
    EXPECT_EQ(status.ok() ? 0 : FromStatus(status).code, row.code) << status;
  }
}

TEST_F(RestClientTest, WaitsAsLongAsAsked) {
  Connect();
  server_->Answer(Response(429, "", "Retry-After: 5\r\n"));
  server_->Answer(Response(200, kEmptyList));
  const ListOptions options;
  const auto result = Begin(client_->List(kPods, options));
  RunUntil([&] { return clock_.sleepers() == 2; });
  clock_.Advance(absl::Seconds(5) - absl::Milliseconds(1));
  io_.poll();
  EXPECT_THAT(server_->requests(), SizeIs(1));
  clock_.Advance(absl::Milliseconds(1));
  RunUntil([&] { return result->has_value(); });
  EXPECT_OK(**result);
}

TEST_F(RestClientTest, ErrorsCarryTheServersStatus) {
  Connect();
  const Status forbidden = Forbidden(kPods, "", "no");
  server_->Answer(Response(403, ToJson(forbidden)));
  const absl::Status status = List().status();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_EQ(FromStatus(status), forbidden);

  server_->Answer(Response(404, "404 page not found\n"));
  const absl::Status bare = List().status();
  EXPECT_THAT(bare, StatusIs(absl::StatusCode::kNotFound, HasSubstr("404 page not found")));
  EXPECT_THAT(FromStatus(bare).causes,
              ElementsAre(StatusCause{"UnexpectedServerResponse", "404 page not found", ""}));
  server_->Answer(Response(410, "", "Retry-After: 3\r\n"));
  const absl::Status gone = List().status();
  EXPECT_TRUE(HasReason(gone, "Expired"));
  EXPECT_EQ(FromStatus(gone).retry_after_seconds, 3);
  // Errors' bodies are read, too: one connection was enough.
  EXPECT_EQ(server_->connections_accepted(), 1);
}

TEST_F(RestClientTest, NoAnswerInTimeIsDeadlineExceeded) {
  Connect();
  const ListOptions options;
  const auto result = Begin(client_->List(kPods, options));
  RunUntil([&] { return !server_->requests().empty(); });
  clock_.Advance(absl::Seconds(60) - absl::Milliseconds(1));
  io_.poll();
  EXPECT_FALSE(result->has_value());
  clock_.Advance(absl::Milliseconds(1));
  RunUntil([&] { return result->has_value(); });
  EXPECT_THAT(**result, StatusIs(absl::StatusCode::kDeadlineExceeded,
                                 HasSubstr("GET /api/v1/pods: no answer within 1m")));
  RunUntil([&] { return server_->connections_open() == 0; });
}

TEST_F(RestClientTest, NobodyListeningIsUnavailable) {
  ClientConfig config = Config();
  boost::asio::io_context other;
  config.port = TestServer(other).port();  // free again
  Connect(config);
  EXPECT_THAT(List(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("connecting to")));
}

TEST_F(RestClientTest, CancelledCallClosesItsConnection) {
  Connect();
  const ListOptions options;
  const auto result = Begin(client_->List(kPods, options));
  RunUntil([&] { return !server_->requests().empty(); });
  RunOn(io_, calls_.Stop());
  EXPECT_FALSE(result->has_value());
  RunUntil([&] { return server_->connections_open() == 0; });
}

TEST_F(RestClientTest, ConnectionsAreBounded) {
  RestClientOptions options;
  options.transport.connections.max_connections = 1;
  options.transport.connections.max_waiting = 1;
  Connect(Config(), options);
  server_->Answer(ChunkedHead(), Then::kHold);
  const ListOptions list;
  const auto first = Begin(client_->List(kPods, list));
  RunUntil([&] { return !server_->requests().empty(); });
  const auto second = Begin(client_->List(kPods, list));
  io_.poll();
  const auto third = Begin(client_->List(kPods, list));
  RunUntil([&] { return third->has_value(); });
  EXPECT_THAT(**third, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("too many requests")));
  EXPECT_FALSE(second->has_value());
  server_->Answer(Response(200, kEmptyList));
  server_->Push(StrCat(Chunk(kEmptyList), Chunk("")));
  RunUntil([&] { return first->has_value(); });
  EXPECT_OK(**first);
  RunUntil([&] { return second->has_value(); });
  EXPECT_OK(**second);
}

TEST_F(RestClientTest, TokenFileIsFollowed) {
  std::string token = "one\n";
  int reads = 0;
  RestClientOptions options;
  options.transport.read_file = [&](const std::string& path) -> absl::StatusOr<std::string> {
    EXPECT_EQ(path, "/run/token");
    ++reads;
    if (token.empty()) return absl::NotFoundError("no such file");
    return token;
  };
  ClientConfig config = Config();
  config.token_file = "/run/token";
  Connect(config, options);
  const auto list_with = [&](const std::string& expected) {
    server_->Answer(Response(200, kEmptyList));
    EXPECT_OK(List());
    EXPECT_THAT(server_->requests().back(),
                HasSubstr(StrCat("Authorization: Bearer ", expected, "\r\n")));
  };
  list_with("one");
  token = "two";
  list_with("one");
  EXPECT_EQ(reads, 1);
  clock_.Advance(absl::Minutes(1));
  list_with("two");

  // A 401 before the token was due for reading: it is read at once, and the request tried once
  // more.
  token = "three";
  server_->Answer(Response(401, ""));
  list_with("three");
  // The file still has the refused token, so the request is not tried again.
  server_->Answer(Response(401, ""));
  EXPECT_THAT(List(), StatusIs(absl::StatusCode::kUnauthenticated));

  token = "";
  clock_.Advance(absl::Minutes(2));
  list_with("three");
}

TEST_F(RestClientTest, UnusableTokenFileIsAnError) {
  RestClientOptions options;
  options.transport.read_file = [](const std::string&) { return std::string("a\r\nX: injected"); };
  ClientConfig config = Config();
  config.token_file = "/run/token";
  Connect(config, options);
  EXPECT_THAT(List(), StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("/run/token")));
  EXPECT_THAT(server_->requests(), SizeIs(0));
}

TEST_F(RestClientTest, BasicAuthentication) {
  ClientConfig config = Config();
  config.username = "user";
  config.password = "pass";
  Connect(config);
  server_->Answer(Response(200, kEmptyList));
  ASSERT_OK(List());
  EXPECT_THAT(server_->requests()[0], HasSubstr("Authorization: Basic dXNlcjpwYXNz\r\n"));
}

TEST_F(RestClientTest, CreatePostsTheObject) {
  Connect();
  server_->Answer(Response(201, R"({"kind":"Widget","status":{"allowed":true}})"));
  const boost::json::value object = {{"kind", "Widget"}};
  const WriteOptions write;
  ASSERT_OK_AND_ASSIGN(const boost::json::value answer,
                       Finish(client_->Create(kWidgets, "n", object, write)));
  EXPECT_TRUE(answer.at("status").at("allowed").as_bool());
  const std::string& request = server_->requests()[0];
  EXPECT_THAT(request, StartsWith("POST /apis/example.com/v1/namespaces/n/widgets HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(request, ::testing::EndsWith("\r\n\r\n{\"kind\":\"Widget\"}"));
  EXPECT_THAT(request, Not(HasSubstr("traceparent")));

  server_->Answer(Response(201, "{}"));
  WriteOptions traced;
  traced.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_OK(Finish(client_->Create(kWidgets, "n", object, traced)).status());
  EXPECT_THAT(server_->requests()[1],
              HasSubstr(StrCat("\r\ntraceparent: ", traced.traceparent, "\r\n")));

  server_->Answer(Response(201, "{"));
  EXPECT_THAT(Finish(client_->Create(kWidgets, "n", object, write)),
              StatusIs(absl::StatusCode::kDataLoss));
}

// One write, and its request without the headers that all requests have.
struct WriteRow {
  const char* name;
  std::function<Task<boost::json::value>(Client&)> call;
  std::string request_line;
  std::string content_type;
  std::string body;
};

TEST_F(RestClientTest, WritesAsAsked) {
  const NamespacedName name{"n", "a"};
  const boost::json::value object = {{"metadata", {{"name", "a"}, {"namespace", "n"}}}};
  const boost::json::value patch = {{"spec", nullptr}};
  const boost::json::value json_patch = boost::json::array();
  const WriteOptions plain;
  WriteOptions status;
  status.subresource = "status";
  WriteOptions dry;
  dry.dry_run = true;
  dry.field_manager = "a b";
  dry.force = true;
  DeleteOptions gone;
  gone.uid = "u";
  gone.resource_version = "7";
  gone.propagation = DeleteOptions::Propagation::kForeground;
  gone.dry_run = true;
  DeleteOptions orphan;
  orphan.propagation = DeleteOptions::Propagation::kOrphan;
  DeleteOptions background;
  background.propagation = DeleteOptions::Propagation::kBackground;
  const DeleteOptions any;
  const auto patched = [&](PatchType type, const boost::json::value& body,
                           const WriteOptions& options) {
    return [&, type](Client& client) { return client.Patch(kWidgets, name, type, body, options); };
  };
  const auto deleted = [&](const DeleteOptions& options) {
    return [&](Client& client) { return client.Delete(kWidgets, name, options); };
  };
  const std::string path = "/apis/example.com/v1/namespaces/n/widgets";
  const std::string json = "application/json";
  const std::string merge = "application/merge-patch+json";
  const std::string text = R"({"metadata":{"name":"a","namespace":"n"}})";
  const std::vector<WriteRow> rows = {
      {"dry create", [&](Client& c) { return c.Create(kWidgets, name.ns, object, dry); },
       StrCat("POST ", path, "?dryRun=All&fieldManager=a%20b&force=true"), json, text},
      {"create of a subresource",
       [&](Client& c) { return c.Create(kWidgets, name.ns, object, status); },
       StrCat("POST ", path, "/a/status"), json, text},
      {"update", [&](Client& c) { return c.Update(kWidgets, object, plain); },
       StrCat("PUT ", path, "/a"), json, text},
      {"dry update", [&](Client& c) { return c.Update(kWidgets, object, dry); },
       StrCat("PUT ", path, "/a?dryRun=All&fieldManager=a%20b&force=true"), json, text},
      {"update of status", [&](Client& c) { return c.Update(kWidgets, object, status); },
       StrCat("PUT ", path, "/a/status"), json, text},
      {"merge patch", patched(PatchType::kJsonMerge, patch, plain), StrCat("PATCH ", path, "/a"),
       merge, R"({"spec":null})"},
      {"merge patch of status", patched(PatchType::kJsonMerge, patch, status),
       StrCat("PATCH ", path, "/a/status"), merge, R"({"spec":null})"},
      {"strategic merge patch", patched(PatchType::kStrategicMerge, patch, plain),
       StrCat("PATCH ", path, "/a"), "application/strategic-merge-patch+json", R"({"spec":null})"},
      {"JSON patch", patched(PatchType::kJson, json_patch, plain), StrCat("PATCH ", path, "/a"),
       "application/json-patch+json", "[]"},
      {"apply", patched(PatchType::kApply, patch, dry),
       StrCat("PATCH ", path, "/a?dryRun=All&fieldManager=a%20b&force=true"),
       "application/apply-patch+yaml", R"({"spec":null})"},
      {"delete", deleted(any), StrCat("DELETE ", path, "/a"), json,
       R"({"apiVersion":"v1","kind":"DeleteOptions"})"},
      {"delete with everything", deleted(gone), StrCat("DELETE ", path, "/a?dryRun=All"), json,
       R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u",)"
       R"("resourceVersion":"7"},"propagationPolicy":"Foreground","dryRun":["All"]})"},
      {"delete, orphaning", deleted(orphan), StrCat("DELETE ", path, "/a"), json,
       R"({"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Orphan"})"},
      {"delete in the background", deleted(background), StrCat("DELETE ", path, "/a"), json,
       R"({"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background"})"},
  };
  Connect();
  for (const WriteRow& row : rows) {
    SCOPED_TRACE(row.name);
    server_->Answer(Response(200, R"({"kind":"Widget"})"));
    ASSERT_OK_AND_ASSIGN(const boost::json::value answer, Finish(row.call(*client_)));
    EXPECT_EQ(answer.at("kind"), "Widget");
    const std::string& request = server_->requests().back();
    EXPECT_EQ(RequestLine(request), StrCat(row.request_line, " HTTP/1.1"));
    EXPECT_THAT(request, HasSubstr(StrCat("\r\nContent-Type: ", row.content_type,
                                          "\r\nContent-Length: ", row.body.size(), "\r\n")));
    EXPECT_THAT(request, ::testing::EndsWith(StrCat("\r\n\r\n", row.body)));
  }
}

// A write that may have arrived is not sent again, with any verb.
TEST_F(RestClientTest, NoWriteIsSentTwice) {
  Connect();
  const NamespacedName name{"n", "a"};
  const boost::json::value object = {{"metadata", {{"name", "a"}, {"namespace", "n"}}}};
  const WriteOptions write;
  const DeleteOptions any;
  const std::vector<std::function<Task<boost::json::value>()>> calls = {
      [&] { return client_->Create(kPods, name.ns, object, write); },
      [&] { return client_->Update(kPods, object, write); },
      [&] { return client_->Patch(kPods, name, PatchType::kJsonMerge, object, write); },
      [&] { return client_->Delete(kPods, name, any); },
  };
  for (size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE(i);
    server_->Answer(Response(200, kEmptyList));
    ASSERT_OK(List());  // leaves an idle connection in the pool
    const size_t before = server_->requests().size();
    server_->Answer("", Then::kClose);
    EXPECT_THAT(Finish(calls[i]()), StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_EQ(server_->requests().size() - before, 1u);
    server_->Answer(Response(503, "", "Retry-After: 1\r\n"));
    EXPECT_EQ(FromStatus(Finish(calls[i]()).status()).code, 503);
    EXPECT_EQ(server_->requests().size() - before, 2u);
  }
}

TEST_F(RestClientTest, ImpossibleWritesAreNotSent) {
  Connect();
  const boost::json::value object = {{"metadata", {{"name", "a"}}}};
  const boost::json::value nameless = {{"metadata", {{"generateName", "a"}}}};
  const WriteOptions plain;
  WriteOptions status;
  status.subresource = "status";
  WriteOptions strange;
  strange.subresource = "a/b";
  const auto invalid = StatusIs(absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Finish(client_->Create(kPods, "n", nameless, status)), invalid);
  EXPECT_THAT(Finish(client_->Create(kPods, "n", object, strange)), invalid);
  EXPECT_THAT(Finish(client_->Update(kPods, nameless, plain)), invalid);
  EXPECT_THAT(Finish(client_->Update(kPods, boost::json::array(), plain)), invalid);
  EXPECT_THAT(Finish(client_->Update(kPods, object, strange)), invalid);
  EXPECT_THAT(Finish(client_->Patch(kPods, {"n", "a"}, PatchType::kApply, object, plain)), invalid);
  EXPECT_THAT(server_->requests(), SizeIs(0));
}

TEST_F(RestClientTest, ImpossibleNamesAreNotSent) {
  Connect();
  EXPECT_THAT(Finish(client_->Get(kPods, {"n", ".."})),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Finish(client_->Get(kPods, {"a/b", "c"})),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Finish(client_->Get(kPods, {"n", ""})), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(RestClientTest, ObserverSeesEveryTry) {
  std::vector<std::string> seen;
  RestClientOptions options;
  options.transport.observer = [&seen](const Exchange& exchange) {
    seen.push_back(StrCat(exchange.method, " ", exchange.target, " ", exchange.code));
  };
  Connect(Config(), options);
  server_->Answer(Response(503, ""));
  server_->Answer("", Then::kClose);
  server_->Answer(Response(200, kEmptyList));
  ASSERT_OK(List());
  EXPECT_THAT(seen, ElementsAre("GET /api/v1/pods 503", "GET /api/v1/pods <error>",
                                "GET /api/v1/pods 200"));
}

}  // namespace
}  // namespace steward::kube
