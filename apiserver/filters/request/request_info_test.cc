#include "apiserver/filters/request/request_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/filters/testing/requests.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/status/matchers.h"

namespace steward::filters {
namespace {

struct Row {
  std::string method;
  std::string target;
  http::RequestInfo want;
};

http::RequestInfo Path(std::string verb) { return {.verb = std::move(verb)}; }

http::RequestInfo Res(std::string verb, std::string group, std::string ns, std::string resource,
                      std::string name = "", std::string subresource = "") {
  return {.is_resource = true,
          .verb = std::move(verb),
          .group = std::move(group),
          .version = "v1",
          .ns = std::move(ns),
          .resource = std::move(resource),
          .subresource = std::move(subresource),
          .name = std::move(name)};
}

std::string ToString(const http::RequestInfo& i) {
  return std::string(i.is_resource ? "resource" : "path") + " verb=" + i.verb +
         " group=" + i.group + " version=" + i.version + " ns=" + i.ns + " resource=" + i.resource +
         " subresource=" + i.subresource + " name=" + i.name;
}

TEST(RequestInfoTest, ReadsAsKubernetesDoes) {
  const std::string g = "/apis/g/v1";
  const Row rows[] = {
      // These paths name no resources.
      {"GET", "/", Path("get")},
      {"GET", "/api", Path("get")},
      {"GET", "/api/v1", Path("get")},
      {"GET", "/api/v1/", Path("get")},
      {"GET", "/apis", Path("get")},
      {"GET", "/apis/g", Path("get")},
      {"GET", g, Path("get")},
      {"GET", g + "/", Path("get")},
      {"GET", "/healthz", Path("get")},
      {"GET", "/openapi/v3/apis/g/v1", Path("get")},
      {"POST", "/version", Path("post")},
      {"Get", "/version", Path("get")},
      {"BREW", "/pot", Path("brew")},
      // Verbs.
      {"GET", g + "/widgets", Res("list", "g", "", "widgets")},
      {"HEAD", g + "/widgets", Res("list", "g", "", "widgets")},
      {"HEAD", g + "/widgets/w", Res("get", "g", "", "widgets", "w")},
      {"GET", g + "/widgets/w", Res("get", "g", "", "widgets", "w")},
      {"POST", g + "/widgets", Res("create", "g", "", "widgets")},
      {"PUT", g + "/widgets/w", Res("update", "g", "", "widgets", "w")},
      {"PATCH", g + "/widgets/w", Res("patch", "g", "", "widgets", "w")},
      {"DELETE", g + "/widgets/w", Res("delete", "g", "", "widgets", "w")},
      {"DELETE", g + "/widgets", Res("deletecollection", "g", "", "widgets")},
      {"BREW", g + "/widgets", Res("", "g", "", "widgets")},
      // Namespaces.
      {"GET", g + "/namespaces/n/widgets", Res("list", "g", "n", "widgets")},
      {"GET", g + "/namespaces/n/widgets/w", Res("get", "g", "n", "widgets", "w")},
      {"GET", g + "/namespaces/n/widgets/w/icon", Res("get", "g", "n", "widgets", "w", "icon")},
      {"GET", g + "/namespaces/n/widgets/w/icon/more",
       Res("get", "g", "n", "widgets", "w", "icon")},
      {"POST", g + "/namespaces/n/widgets", Res("create", "g", "n", "widgets")},
      {"GET", "/api/v1/namespaces", Res("list", "", "", "namespaces")},
      {"GET", "/api/v1/namespaces/n", Res("get", "", "n", "namespaces", "n")},
      {"PUT", "/api/v1/namespaces/n/finalize",
       Res("update", "", "n", "namespaces", "n", "finalize")},
      {"GET", "/api/v1/namespaces/n/status", Res("get", "", "n", "namespaces", "n", "status")},
      {"GET", "/api/v1/namespaces/n/pods", Res("list", "", "n", "pods")},
      {"GET", "/api/v1/nodes/x", Res("get", "", "", "nodes", "x")},
      {"DELETE", "/api/v1/namespaces/n/pods", Res("deletecollection", "", "n", "pods")},
      // Watch, as a parameter.
      {"GET", g + "/widgets?watch=1", Res("watch", "g", "", "widgets")},
      {"GET", g + "/widgets?watch=true", Res("watch", "g", "", "widgets")},
      {"GET", g + "/widgets?watch=foo", Res("watch", "g", "", "widgets")},
      {"GET", g + "/widgets?watch", Res("watch", "g", "", "widgets")},
      {"GET", g + "/widgets?watch=0", Res("list", "g", "", "widgets")},
      {"GET", g + "/widgets?watch=False", Res("list", "g", "", "widgets")},
      {"GET", g + "/widgets?watch=0&watch=1", Res("list", "g", "", "widgets")},
      {"GET", g + "/widgets/w?watch=1", Res("get", "g", "", "widgets", "w")},
      {"POST", g + "/widgets?watch=1", Res("create", "g", "", "widgets")},
      // Watch and proxy, as path prefixes.
      {"GET", g + "/watch/widgets", Res("watch", "g", "", "widgets")},
      {"GET", g + "/watch/namespaces/n/widgets/w", Res("watch", "g", "n", "widgets", "w")},
      {"DELETE", g + "/watch/widgets", Res("watch", "g", "", "widgets")},
      {"GET", "/api/v1/proxy/namespaces/n/pods/p/sub", Res("proxy", "", "n", "pods", "p")},
      // One name by field selector.
      {"GET", g + "/widgets?fieldSelector=metadata.name%3Dw", Res("list", "g", "", "widgets", "w")},
      {"GET", g + "/widgets?fieldSelector=metadata.name%3Dw&watch=1",
       Res("watch", "g", "", "widgets", "w")},
      {"GET", g + "/widgets?fieldSelector=metadata.namespace%3Dn,metadata.name%3D%3Dw",
       Res("list", "g", "", "widgets", "w")},
      {"GET", g + "/widgets?fieldSelector=metadata.name!%3Dw", Res("list", "g", "", "widgets")},
      {"GET", g + "/widgets?fieldSelector=metadata.name%3Da/b", Res("list", "g", "", "widgets")},
      {"GET", g + "/widgets?fieldSelector=metadata.name%3D..", Res("list", "g", "", "widgets")},
      {"GET", g + "/widgets?fieldSelector=nonsense", Res("list", "g", "", "widgets")},
      {"DELETE", g + "/widgets?fieldSelector=metadata.name%3Dw",
       Res("deletecollection", "g", "", "widgets")},
      // Odd slashes.
      {"GET", g + "/widgets/", Res("list", "g", "", "widgets")},
      {"GET", "//apis/g/v1/widgets//", Res("list", "g", "", "widgets")},
      {"GET", g + "//w", Res("get", "g", "", "", "w")},
      {"GET", g + "/widgets//icon", Res("list", "g", "", "widgets", "", "icon")},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.method + " " + row.target);
    const auto info = ReadRequestInfo(MakeRequest(row.method, row.target));
    ASSERT_OK(info);
    EXPECT_EQ(ToString(*info), ToString(row.want));
  }
}

TEST(RequestInfoTest, EmptyLegacyPrefixIsUnreadable) {
  for (const char* target : {"/api/v1/watch", "/apis/g/v1/watch/", "/apis/g/v1/proxy"}) {
    EXPECT_THAT(ReadRequestInfo(MakeRequest("GET", target)),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(RequestInfoTest, FilterFillsIn) {
  http::Request request = MakeRequest("GET", "/apis/g/v1/widgets?watch=1");
  rest::RecordingWriter writer;
  Handle(WithRequestInfo(ServedHandler()), request, writer);
  EXPECT_EQ(request.info.verb, "watch");
  EXPECT_TRUE(IsLongRunning(request.info));
  EXPECT_EQ(writer.body(), "served");
}

TEST(RequestInfoTest, FilterRefusesTheUnreadable) {
  http::Request request = MakeRequest("GET", "/api/v1/watch");
  rest::RecordingWriter writer;
  Handle(WithRequestInfo(ServedHandler()), request, writer);
  EXPECT_EQ(writer.status(), 500);
  EXPECT_THAT(writer.body(), ::testing::HasSubstr("unable to determine kind and namespace"));
}

}  // namespace
}  // namespace steward::filters
