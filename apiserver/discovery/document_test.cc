#include "apiserver/discovery/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/splice/gunzip.h"
#include "base/status/matchers.h"

namespace steward::discovery {
namespace {

using rest::RecordingWriter;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kJson[] = R"({"kind":"APIGroup","name":"x"})";

class DocumentTest : public testing::Test {
 protected:
  int Ask(const Document& document, std::vector<std::pair<std::string, std::string>> headers,
          std::vector<std::pair<std::string, std::string>> query = {}, std::string method = "GET") {
    boost::asio::io_context io;
    http::Request request;
    request.method = std::move(method);
    request.query = std::move(query);
    for (auto& [name, value] : headers) request.headers.Add(name, value);
    writer_ = RecordingWriter();
    EXPECT_OK(RunOn(io, Serve(document, request, writer_, clock_)));
    EXPECT_EQ(writer_.misuse(), "");
    EXPECT_TRUE(writer_.finished());
    return writer_.status();
  }
  std::vector<std::string_view> Vary() const { return writer_.head().headers.FindAll("Vary"); }

  Document OpenApi() {
    Document document;
    document.addressed_by_hash = true;
    document.representations = {OpenApiRepresentation(kJson)};
    return document;
  }

  FakeClock clock_{absl::FromUnixSeconds(1'800'000'000)};  // Fri, 15 Jan 2027 08:00:00 GMT
  RecordingWriter writer_;
};

TEST_F(DocumentTest, DiscoveryFormats) {
  ASSERT_OK_AND_ASSIGN(const Document document, DiscoveryDocument(kJson));
  const std::string pretty = "{\n  \"kind\": \"APIGroup\",\n  \"name\": \"x\"\n}";
  const struct {
    std::string name, accept, pretty, type, body;
  } kRows[] = {
      {"no accept", "", "", "application/json", std::string(kJson) + "\n"},
      {"json", "application/json", "", "application/json", std::string(kJson) + "\n"},
      {"anything", "*/*", "", "application/json", std::string(kJson) + "\n"},
      {"pretty", "application/json", "true", "application/json", pretty},
      {"pretty clause", "application/json;pretty=1", "", "application/json", pretty},
      {"yaml", "application/yaml", "", "application/yaml", "kind: APIGroup\nname: x\n"},
      {"pretty yaml", "application/yaml", "true", "application/yaml", "kind: APIGroup\nname: x\n"},
      {"protobuf first", "application/vnd.kubernetes.protobuf,application/json", "",
       "application/json", std::string(kJson) + "\n"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Ask(document, {{"Accept", row.accept}}, {{"pretty", row.pretty}}), 200);
    EXPECT_EQ(writer_.Header("Content-Type"), row.type);
    EXPECT_EQ(writer_.body(), row.body);
    EXPECT_EQ(writer_.Header("ETag"), "");
    EXPECT_THAT(Vary(), ElementsAre("Accept"));
    EXPECT_EQ(writer_.head().content_length, row.body.size());
  }
}

TEST_F(DocumentTest, NotAcceptable) {
  ASSERT_OK_AND_ASSIGN(const Document document, DiscoveryDocument(kJson));
  for (const char* accept :
       {"text/html", "application/json;as=Table;v=v1;g=meta.k8s.io", "application/json;v=v1"}) {
    SCOPED_TRACE(accept);
    EXPECT_EQ(Ask(document, {{"Accept", accept}}), 406);
    EXPECT_THAT(writer_.body(), HasSubstr("accepted: application/json, application/yaml\""));
  }
  EXPECT_EQ(
      Ask(OpenApi(), {{"Accept", "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"}}),
      406);
  EXPECT_THAT(writer_.body(), HasSubstr("accepted: application/json\""));
}

TEST_F(DocumentTest, OnlyReads) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    EXPECT_EQ(Ask(OpenApi(), {}, {}, method), 405);
  }
  EXPECT_EQ(Ask(OpenApi(), {}, {}, "HEAD"), 200);
}

TEST_F(DocumentTest, ETags) {
  const Document document = OpenApi();
  EXPECT_EQ(Ask(document, {}), 200);
  const std::string etag = writer_.Header("ETag");
  EXPECT_EQ(etag, ETagOf(kJson));
  EXPECT_EQ(writer_.Header("Cache-Control"), "");
  EXPECT_EQ(Ask(document, {{"If-None-Match", etag}}), 304);
  EXPECT_EQ(writer_.body(), "");
  EXPECT_EQ(writer_.Header("ETag"), etag);
  EXPECT_THAT(Vary(), ElementsAre("Accept", "Accept-Encoding"));
  EXPECT_EQ(Ask(document, {{"If-None-Match", "\"other\""}}), 200);
}

TEST_F(DocumentTest, Hashes) {
  const Document document = OpenApi();
  std::string hash = ETagOf(kJson);
  hash = hash.substr(1, hash.size() - 2);
  EXPECT_EQ(Ask(document, {}, {{"hash", hash}}), 200);
  EXPECT_EQ(writer_.Header("Cache-Control"), "public, immutable");
  EXPECT_EQ(writer_.Header("Expires"), "Sat, 15 Jan 2028 08:00:00 GMT");
  EXPECT_EQ(Ask(document, {}, {{"hash", "OLD"}}), 200);
  EXPECT_EQ(writer_.Header("Cache-Control"), "");
  EXPECT_EQ(writer_.Header("Expires"), "");
  EXPECT_EQ(writer_.body(), kJson);
}

TEST_F(DocumentTest, Gzip) {
  EXPECT_EQ(Ask(OpenApi(), {{"Accept-Encoding", "gzip"}}), 200);
  EXPECT_EQ(writer_.Header("Content-Encoding"), "gzip");
  EXPECT_EQ(Gunzip(writer_.body()), kJson);
  EXPECT_EQ(Ask(OpenApi(), {{"Accept-Encoding", "br"}}), 200);
  EXPECT_EQ(writer_.Header("Content-Encoding"), "");
}

TEST_F(DocumentTest, UnnegotiatedTakesEverybody) {
  Document document = OpenApi();
  document.negotiated = false;
  EXPECT_EQ(Ask(document, {{"Accept", "text/html"}}), 200);
  EXPECT_THAT(Vary(), ElementsAre("Accept-Encoding"));
}

TEST(ETagTest, IsUpperCaseSha512) {
  EXPECT_EQ(ETagOf("abc"),
            "\"DDAF35A193617ABACC417349AE20413112E6FA4E89A97EA20A9EEEE64B55D39A"
            "2192992A274FC1A836BA3C23A3FEEBBD454D4423643CE80E2A9AC94FA54CA49F\"");
}

}  // namespace
}  // namespace steward::discovery
