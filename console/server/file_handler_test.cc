#include "console/server/file_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/filters/testing/requests.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/splice/gunzip.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "console/server/test_files.h"

namespace steward::console {
namespace {

constexpr char kHashed[] = "/main.0123456789abcdef.js";

class FileHandlerTest : public ::testing::Test {
 protected:
  FileHandlerTest() {
    PutFile(directory_, "index.html", "<html>");
    PutFile(directory_, "main.0123456789abcdef.js", std::string(10000, 'x'));
    PutFile(directory_, "locales/plugin.json", "{}");
    auto index = FileIndex::Load(directory_.path(), "index.html");
    EXPECT_OK(index);
    files_ = std::make_shared<const FileIndex>(*std::move(index));
    Serve("");
  }

  void Serve(const std::string& page) {
    FileHandlerOptions options;
    options.page = page;
    options.headers.Add("X-Sample", "s");
    handler_ = ServeFiles(files_, std::move(options));
  }

  using Fields = std::vector<std::pair<std::string, std::string>>;
  rest::RecordingWriter Ask(std::string_view method, std::string_view target,
                            const Fields& fields = {}) {
    http::Request request = filters::MakeRequest(method, target);
    for (const auto& [name, value] : fields) request.headers.Add(name, value);
    rest::RecordingWriter writer;
    filters::Handle(handler_, request, writer);
    EXPECT_EQ(writer.misuse(), "");
    EXPECT_TRUE(writer.finished());
    EXPECT_EQ(writer.Header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(writer.Header("X-Sample"), "s");
    return writer;
  }

  TestDirectory directory_;
  std::shared_ptr<const FileIndex> files_;
  http::Handler handler_;
};

TEST_F(FileHandlerTest, AFile) {
  const auto answer = Ask("GET", "/locales/plugin.json?x=1");
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.body(), "{}");
  EXPECT_EQ(answer.Header("Content-Type"), "application/json");
  EXPECT_EQ(answer.Header("Cache-Control"), "no-cache");
  EXPECT_EQ(answer.Header("Vary"), "");
  EXPECT_EQ(answer.head().content_length, 2u);
  const auto hashed = Ask("GET", kHashed);
  EXPECT_EQ(hashed.Header("Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(hashed.Header("Vary"), "Accept-Encoding");
}

TEST_F(FileHandlerTest, Compressed) {
  const auto plain = Ask("GET", kHashed, {{"Accept-Encoding", "br"}});
  EXPECT_EQ(plain.Header("Content-Encoding"), "");
  EXPECT_EQ(plain.body().size(), 10000u);
  const auto compressed = Ask("GET", kHashed, {{"Accept-Encoding", "br, gzip"}});
  EXPECT_EQ(compressed.Header("Content-Encoding"), "gzip");
  EXPECT_EQ(Gunzip(compressed.body()), plain.body());
  EXPECT_NE(compressed.Header("ETag"), plain.Header("ETag"));
  EXPECT_EQ(Ask("GET", "/index.html", {{"Accept-Encoding", "gzip"}}).body(), "<html>");
}

TEST_F(FileHandlerTest, NotModified) {
  const std::string etag = Ask("GET", kHashed).Header("ETag");
  const struct {
    Fields fields;
    int want;
  } kRows[] = {
      {{{"If-None-Match", etag}}, 304},
      {{{"If-None-Match", "W/" + etag}}, 304},
      {{{"If-None-Match", "\"other\", " + etag}}, 304},
      {{{"If-None-Match", "\"other\""}, {"If-None-Match", etag}}, 304},
      {{{"If-None-Match", "*"}}, 304},
      {{{"If-None-Match", "\"other\""}}, 200},
      {{{"If-None-Match", ""}}, 200},
      {{{"If-None-Match", etag}, {"Accept-Encoding", "gzip"}}, 200},  // another variant
  };
  for (const auto& row : kRows) {
    const auto answer = Ask("GET", kHashed, row.fields);
    EXPECT_EQ(answer.status(), row.want) << row.fields.front().second;
    if (row.want == 304) {
      EXPECT_EQ(answer.body(), "");
      EXPECT_EQ(answer.Header("ETag"), etag);
    }
  }
}

TEST_F(FileHandlerTest, WhatIsNotThere) {
  for (const char* target : {"/", "/absent", "/locales", "/locales/", "/..%2findex.html",
                             "/%2e%2e/index.html", "//index.html", "/main.js"}) {
    EXPECT_EQ(Ask("GET", target).status(), 404) << target;
  }
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"}) {
    const auto answer = Ask(method, "/index.html");
    EXPECT_EQ(answer.status(), 405) << method;
    EXPECT_EQ(answer.Header("Allow"), "GET, HEAD");
  }
}

TEST_F(FileHandlerTest, PathsOfThePage) {
  Serve("/index.html");
  for (const char* target :
       {"/", "/operators", "/operators/", "/operators/ns/widget.v1.0.0?tab=x"}) {
    const auto answer = Ask("GET", target);
    EXPECT_EQ(answer.status(), 200) << target;
    EXPECT_EQ(answer.body(), "<html>");
    EXPECT_EQ(answer.Header("Cache-Control"), "no-cache");
  }
  EXPECT_EQ(Ask("GET", "/absent.js").status(), 404);
  EXPECT_EQ(Ask("GET", "/operators/absent.css").status(), 404);
  EXPECT_EQ(Ask("GET", "/locales/plugin.json").body(), "{}");
}

TEST_F(FileHandlerTest, AClientThatLeaves) {
  for (int call = 0; call < 3; ++call) {
    http::Request request = filters::MakeRequest("GET", "/index.html");
    rest::RecordingWriter writer;
    writer.FailFrom(call);
    filters::Handle(handler_, request, writer);
    EXPECT_FALSE(writer.finished());
    EXPECT_EQ(writer.misuse(), "");
  }
}

}  // namespace
}  // namespace steward::console
