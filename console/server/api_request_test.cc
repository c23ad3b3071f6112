#include "console/server/api_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/http/message/message.h"
#include "kube/meta/status.h"

namespace steward::console {
namespace {

TEST(ApiRequestTest, Paths) {
  const struct {
    std::string_view path;
    bool api;
    bool server;
  } kRows[] = {
      {"/api", true, true},          {"/api/", true, true},
      {"/api/v1", true, true},       {"/apis", true, true},
      {"/apis/apps/v1", true, true}, {"/version", true, true},
      {"/openapi/v3", true, true},   {"/openapi", false, true},
      {"/version/", false, true},    {"/healthz", false, true},
      {"/readyz/ping", false, true}, {"/metrics", false, true},
      {"/logs/a", false, true},      {"/debug/pprof", false, true},
      {"/", false, false},           {"/apiary", false, false},
      {"/versions", false, false},   {"//api/v1", false, false},
      {"/API", false, false},        {"", false, false},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(IsApiPath(row.path), row.api) << row.path;
    EXPECT_EQ(IsServerPath(row.path), row.server) << row.path;
  }
}

// 200 = it may be passed on.
int Judge(const http::Request& request) {
  const absl::Status status = CheckForwardable(request);
  return status.ok() ? 200 : kube::FromStatus(status).code;
}

TEST(ApiRequestTest, WhatMayBePassedOn) {
  const struct {
    std::string_view method;
    std::string_view target;
    int want;
  } kRows[] = {
      {"GET", "/api/v1/pods", 200},
      {"HEAD", "/version", 200},
      {"POST", "/api/v1/namespaces/a/configmaps", 200},
      {"PUT", "/apis/apps/v1/namespaces/a/deployments/b", 200},
      {"PATCH", "/apis/apps/v1/namespaces/a/deployments/b/scale", 200},
      {"DELETE", "/api/v1/namespaces/a/pods/b", 200},
      {"GET", "/api/v1/namespaces/a/pods/b/log?follow=true", 200},
      {"GET", "/api/", 200},
      {"GET", "/api/v1/namespaces/a/pods/proxy", 200},  // of that name
      {"CONNECT", "/api/v1/pods", 405},
      {"OPTIONS", "/api/v1/pods", 405},
      {"TRACE", "/api/v1/pods", 405},
      {"get", "/api/v1/pods", 405},
      {"POST", "/api/v1/namespaces/a/pods/b/exec?command=sh", 403},
      {"GET", "/api/v1/namespaces/a/pods/b/exec?command=sh", 403},
      {"GET", "/api/v1/namespaces/a/pods/b/attach", 403},
      {"POST", "/api/v1/namespaces/a/pods/b/portforward", 403},
      {"GET", "/api/v1/namespaces/a/pods/b/proxy/path", 403},
      {"GET", "/api/v1/namespaces/a/services/https:b:443/proxy/", 403},
      {"GET", "/api/v1/nodes/n/proxy/pods", 403},
      {"GET", "/api/v1/proxy/nodes/n", 403},
      {"GET", "/api/v1/namespaces/a/pods/b/%65xec", 403},
      {"GET", "/api/v1/namespaces/a/pods%2fb/exec", 403},
      {"GET", "/api/v1/namespaces/a/pods/b//exec", 400},
      {"GET", "/api//v1/pods", 400},
      {"GET", "/api/v1/../../logs", 400},
      {"GET", "/api/./v1/pods", 400},
      {"GET", "/api/v1/%2e%2e/x", 400},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Judge(filters::MakeReadRequest(row.method, row.target)), row.want) << row.target;
  }
}

TEST(ApiRequestTest, ChangesOfTheProtocol) {
  const auto websocket = [](std::string_view target) {
    http::Request request = filters::MakeReadRequest("GET", target);
    request.websocket = true;
    request.headers.Add("Upgrade", "websocket");
    request.headers.Add("Origin", "https://a");
    request.headers.Add("Sec-WebSocket-Version", "13");
    request.headers.Add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    return request;
  };
  http::Request watch = websocket("/api/v1/pods?watch=true");
  EXPECT_EQ(Judge(watch), 200);
  watch.headers.Add("Sec-WebSocket-Protocol", "a, b");
  EXPECT_EQ(Judge(watch), 400);
  watch.headers.Set("Sec-WebSocket-Protocol", "a");
  EXPECT_EQ(Judge(watch), 200);
  watch.headers.Remove("Origin");
  EXPECT_EQ(Judge(watch), 403);

  EXPECT_EQ(Judge(websocket("/api/v1/pods")), 403);
  EXPECT_EQ(Judge(websocket("/api/v1/namespaces/a/pods/b/exec")), 403);
  EXPECT_EQ(Judge(websocket("/api/v1/namespaces/a/pods/b?watch=1")), 403);
  EXPECT_EQ(Judge(websocket("/version")), 403);
  http::Request other = filters::MakeReadRequest("GET", "/api/v1/pods?watch=true");
  other.headers.Add("Upgrade", "SPDY/3.1");
  EXPECT_EQ(Judge(other), 403);
  http::Request post = websocket("/api/v1/pods?watch=true");
  post.method = "POST";
  EXPECT_EQ(Judge(post), 403);
}

TEST(ApiRequestTest, TargetsAreEncodedAnew) {
  const struct {
    std::string_view target;
    std::string_view want;
  } kRows[] = {
      {"/api/v1/pods", "/api/v1/pods"},
      {"/api/", "/api/"},
      {"/version?", "/version"},
      {"/api/v1/pods?watch", "/api/v1/pods?watch="},
      {"/api/v1/pods?labelSelector=a%3Db,c%20in%20(d)&limit=5",
       "/api/v1/pods?labelSelector=a%3Db%2Cc%20in%20%28d%29&limit=5"},
      {"/api/v1/namespaces/a/pods%2fb", "/api/v1/namespaces/a/pods/b"},
      {"/api/v1/namespaces/a/configmaps/x%0d%0aHost:%20y",
       "/api/v1/namespaces/a/configmaps/x%0D%0AHost%3A%20y"},
      {"/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node",
       "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(ForwardedTarget(filters::MakeRequest("GET", row.target)), row.want);
  }
}

TEST(ApiRequestTest, Fields) {
  http::Request request = filters::MakeRequest("GET", "/api");
  EXPECT_EQ(ForwardedFields(request), "");
  for (const char* name : {"Impersonate-User", "X-Remote-User", "X-Remote-Group", "Cookie",
                           "Origin", "Authorization", "Connection", "Transfer-Encoding",
                           "Accept-Encoding", "X-Forwarded-For", "Content-Length", "Expect"}) {
    request.headers.Add(name, "system:admin");
  }
  request.headers.Add("accept", "application/json");
  request.headers.Add("Accept", "*/*");
  request.headers.Add("user-agent", "page");
  request.headers.Add("Content-Type", "application/merge-patch+json");
  EXPECT_EQ(ForwardedFields(request),
            "Accept: application/json, */*\r\nContent-Type: application/merge-patch+json\r\n"
            "User-Agent: page\r\n");
  request.headers.Set("User-Agent", "a\r\nImpersonate-User: b");
  request.headers.Remove("Accept");
  EXPECT_EQ(ForwardedFields(request), "Content-Type: application/merge-patch+json\r\n");
}

}  // namespace
}  // namespace steward::console
