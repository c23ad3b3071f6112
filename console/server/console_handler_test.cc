#include "console/server/console_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/filters/testing/requests.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "console/server/test_files.h"

namespace steward::console {
namespace {

using ::testing::HasSubstr;

rest::RecordingWriter Ask(const http::Handler& handler, std::string_view method,
                          std::string_view target, const char* host = nullptr) {
  http::Request request = filters::MakeRequest(method, target);
  if (host != nullptr) request.headers.Add("Host", host);
  rest::RecordingWriter writer;
  filters::Handle(handler, request, writer);
  EXPECT_EQ(writer.misuse(), "");
  EXPECT_TRUE(writer.finished());
  return writer;
}

class ConsoleHandlerTest : public ::testing::Test {
 protected:
  ConsoleHandlerTest() {
    PutFile(directory_, "index.html", "<html>");
    PutFile(directory_, "plugin-manifest.json", "{}");
    auto index = FileIndex::Load(directory_.path(), "index.html");
    EXPECT_OK(index);
    files_ = std::make_shared<const FileIndex>(*std::move(index));
  }
  http::Handler Standalone(Authentication authentication = Authentication::kToken) {
    return StandaloneHandler({.files = files_,
                              .api = filters::ServedHandler(),
                              .authentication = authentication,
                              .version = "v1.2.3-\"x\""});
  }

  TestDirectory directory_;
  std::shared_ptr<const FileIndex> files_;
};

TEST_F(ConsoleHandlerTest, ThePlugin) {
  const http::Handler handler = PluginHandler(files_);
  const struct {
    std::string_view method;
    std::string_view target;
    int want;
  } kRows[] = {
      {"GET", "/plugin-manifest.json", 200},
      {"POST", "/plugin-manifest.json", 405},
      {"GET", "/healthz", 200},
      {"GET", "/livez", 200},
      {"GET", "/readyz", 200},
      {"GET", "/readyz/ping", 200},
      {"GET", "/", 404},
      {"GET", "/operators", 404},
      {"GET", "/api/v1/pods", 404},
      {"GET", "/apis", 404},
      {"GET", "/version", 404},
      {"GET", "/console-config.json", 404},
      {"POST", "/api/v1/pods", 405},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Ask(handler, row.method, row.target).status(), row.want) << row.target;
  }
}

TEST_F(ConsoleHandlerTest, Standalone) {
  const http::Handler handler = Standalone();
  const struct {
    std::string_view method;
    std::string_view target;
    int want;
    std::string_view body;
  } kRows[] = {
      {"GET", "/", 200, "<html>"},
      {"GET", "/operators/a/b", 200, "<html>"},
      {"GET", "/index.html", 200, "<html>"},
      {"GET", "/absent.js", 404, ""},
      {"GET", "/api/v1/pods", 200, "served"},
      {"POST", "/apis/apps/v1/namespaces/a/deployments", 200, "served"},
      {"GET", "/version", 200, "served"},
      {"GET", "/openapi/v3", 200, "served"},
      {"GET", "/openapi", 404, ""},
      {"GET", "/metrics", 404, ""},
      {"GET", "/debug/pprof/profile", 404, ""},
      {"GET", "/healthz", 200, "ok"},
      {"POST", "/", 405, ""},
      {"POST", "/console-config.json", 405, ""},
  };
  for (const auto& row : kRows) {
    const auto answer = Ask(handler, row.method, row.target, "evil.example.com");
    EXPECT_EQ(answer.status(), row.want) << row.target;
    if (!row.body.empty()) EXPECT_THAT(answer.body(), HasSubstr(row.body)) << row.target;
  }
}

TEST_F(ConsoleHandlerTest, HeadersOfThePages) {
  for (const char* target : {"/", "/operators", "/absent.js"}) {
    const auto answer = Ask(Standalone(), "GET", target);
    EXPECT_EQ(answer.Header("Content-Security-Policy"),
              "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src "
              "'self' data: blob:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; "
              "base-uri 'none'; form-action 'none'");
    EXPECT_EQ(answer.Header("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(answer.Header("Cross-Origin-Opener-Policy"), "same-origin");
    EXPECT_EQ(answer.Header("X-Content-Type-Options"), "nosniff");
  }
}

TEST_F(ConsoleHandlerTest, WhatThePageHasToKnow) {
  const struct {
    Authentication authentication;
    const char* name;
  } kRows[] = {{Authentication::kToken, "token"},
               {Authentication::kTokenHeader, "header"},
               {Authentication::kKubeconfig, "kubeconfig"}};
  for (const auto& row : kRows) {
    const auto answer =
        Ask(Standalone(row.authentication), "GET", "/console-config.json", "localhost:9443");
    EXPECT_EQ(answer.body(), std::string(R"({"authentication":")") + row.name +
                                 R"(","version":"v1.2.3-\"x\""})" + "\n");
    EXPECT_EQ(answer.Header("Cache-Control"), "no-store");
    EXPECT_EQ(answer.Header("Content-Type"), "application/json");
  }
}

// A page that reached this machine by DNS rebinding gets nothing.
TEST_F(ConsoleHandlerTest, TheHostWithTheKubeconfigsCredentials) {
  const http::Handler handler = Standalone(Authentication::kKubeconfig);
  for (const char* target : {"/", "/api/v1/pods", "/console-config.json", "/healthz"}) {
    EXPECT_EQ(Ask(handler, "GET", target, "evil.example.com:9443").status(), 403) << target;
    EXPECT_EQ(Ask(handler, "GET", target).status(), 403) << target;
    EXPECT_EQ(Ask(handler, "GET", target, "127.0.0.1:9443").status(), 200) << target;
    EXPECT_EQ(Ask(handler, "GET", target, "localhost").status(), 200) << target;
  }
}

}  // namespace
}  // namespace steward::console
