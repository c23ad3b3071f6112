#include "apiserver/filters/authorization/subject_access_review.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/filters/testing/requests.h"
#include "kube/meta/user_info.h"

namespace steward::filters {
namespace {

namespace json = boost::json;

struct Row {
  std::string method;
  std::string target;
  std::string attributes;
};

TEST(SubjectAccessReviewTest, Attributes) {
  const Row rows[] = {
      {"GET", "/healthz", R"({"nonResourceAttributes":{"path":"/healthz","verb":"get"}})"},
      {"GET", "/apis", R"({"nonResourceAttributes":{"path":"/apis","verb":"get"}})"},
      {"GET", "/apis/g/v1/namespaces/n/widgets/w/icon",
       R"({"resourceAttributes":{"namespace":"n","verb":"get","group":"g","version":"v1",
           "resource":"widgets","subresource":"icon","name":"w"}})"},
      {"GET", "/apis/g/v1/widgets",
       R"({"resourceAttributes":{"verb":"list","group":"g","version":"v1","resource":"widgets"}})"},
      {"GET", "/apis/g/v1/widgets?fieldSelector=metadata.name%3Dw,metadata.namespace!%3Dx",
       R"({"resourceAttributes":{"verb":"list","group":"g","version":"v1","resource":"widgets",
           "name":"w","fieldSelector":{"requirements":[
             {"key":"metadata.name","operator":"In","values":["w"]},
             {"key":"metadata.namespace","operator":"NotIn","values":["x"]}]}}})"},
      {"GET", "/apis/g/v1/widgets?watch=1&labelSelector=a%3Db,c!%3Dd,e%20in%20(f,g),h,!i,j%3E1",
       R"({"resourceAttributes":{"verb":"watch","group":"g","version":"v1","resource":"widgets",
           "labelSelector":{"requirements":[
             {"key":"a","operator":"In","values":["b"]},
             {"key":"c","operator":"NotIn","values":["d"]},
             {"key":"e","operator":"In","values":["f","g"]},
             {"key":"h","operator":"Exists"},
             {"key":"i","operator":"DoesNotExist"}]}}})"},
      // A selector that cannot be read or expressed is left out: the question is broader.
      {"GET", "/apis/g/v1/widgets?fieldSelector=nonsense&labelSelector=a%20near%20b",
       R"({"resourceAttributes":{"verb":"list","group":"g","version":"v1","resource":"widgets"}})"},
      {"GET", "/apis/g/v1/widgets?labelSelector=a%3E1",
       R"({"resourceAttributes":{"verb":"list","group":"g","version":"v1","resource":"widgets"}})"},
      // Selectors narrow reads of collections only.
      {"GET", "/apis/g/v1/namespaces/n/widgets/w?labelSelector=a%3Db",
       R"({"resourceAttributes":{"namespace":"n","verb":"get","group":"g","version":"v1",
           "resource":"widgets","name":"w"}})"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.method + " " + row.target);
    http::Request request = MakeReadRequest(row.method, row.target);
    request.user.name = "u";
    json::object want = json::parse(row.attributes).as_object();
    want["user"] = "u";
    EXPECT_EQ(json::value(SubjectAccessReviewSpec(request)), json::value(want))
        << json::serialize(SubjectAccessReviewSpec(request));
  }
}

// Any client may send long selectors, and they only narrow the question.
TEST(SubjectAccessReviewTest, LongSelectorsAreLeftOut) {
  const std::string longest = "a=" + std::string((4 << 10) - 2, ' ');
  for (const char* parameter : {"labelSelector", "fieldSelector"}) {
    SCOPED_TRACE(parameter);
    http::Request request = MakeReadRequest("GET", "/apis/g/v1/widgets");
    request.query = {{parameter, longest}};
    const auto attributes = [&] {
      return SubjectAccessReviewSpec(request).at("resourceAttributes").as_object();
    };
    EXPECT_TRUE(attributes().contains(parameter));
    request.query = {{parameter, longest + " "}};
    EXPECT_FALSE(attributes().contains(parameter));
  }
}

TEST(SubjectAccessReviewTest, User) {
  http::Request request = MakeReadRequest("GET", "/version");
  request.user = {.name = "u",
                  .uid = "1",
                  .groups = {"g", "system:authenticated"},
                  .extra = {{"scopes", {"a", "b"}}}};
  const json::value want = json::parse(
      R"({"nonResourceAttributes":{"path":"/version","verb":"get"},"user":"u","uid":"1",
          "groups":["g","system:authenticated"],"extra":{"scopes":["a","b"]}})");
  EXPECT_EQ(json::value(SubjectAccessReviewSpec(request)), want);
}

// A decision that is kept by a key answers all requests with that key.
TEST(SubjectAccessReviewTest, RequestsThatDifferHaveDifferentKeys) {
  const auto request = [](const char* target, kube::UserInfo user = {.name = "u"}) {
    http::Request made = MakeReadRequest("GET", target);
    made.user = std::move(user);
    return made;
  };
  std::vector<http::Request> requests;
  for (const char* target :
       {"/version", "/version/x", "/apis/g/v1/widgets", "/apis/g/v1/widgets?watch=1",
        "/apis/g/v2/widgets", "/apis/h/v1/widgets", "/apis/g/v1/widget", "/apis/g/v1/widgets/w",
        "/apis/g/v1/widgets/w/icon", "/apis/g/v1/namespaces/w/widgets",
        "/apis/g/v1/namespaces/wi/widgets/n", "/apis/g/v1/namespaces/w/widgets/in",
        "/apis/g/v1/widgets?fieldSelector=metadata.name%3Dw",
        "/apis/g/v1/widgets?fieldSelector=a%3Db", "/apis/g/v1/widgets?labelSelector=a%3Db",
        "/apis/g/v1/widgets?fieldSelector=a%3Db&labelSelector=a%3Db",
        "/apis/g/v1/widgets?labelSelector=a%3Dc"}) {
    requests.push_back(request(target));
  }
  const kube::UserInfo users[] = {
      {.name = "v"},
      {.name = ""},
      {.name = "u", .uid = "1"},
      {.name = "u", .groups = {"g"}},
      {.name = "u", .groups = {"g", "h"}},
      {.name = "u", .groups = {"h", "g"}},
      {.name = "u", .groups = {"gh"}},
      {.name = "u", .groups = {"g", ""}},
      {.name = "u", .groups = {"1:g"}},
      {.name = "u", .extra = {{"k", {"a"}}}},
      {.name = "u", .extra = {{"k", {"a", "b"}}}},
      {.name = "u", .extra = {{"k", {"a"}}, {"b", {}}}},
      {.name = "u", .extra = {{"k", {}}}},
      {.name = "u", .extra = {{"g", {"a"}}}},
      {.name = "u", .groups = {"g"}, .extra = {{"k", {"a"}}}},
  };
  for (const kube::UserInfo& user : users) {
    for (const char* target : {"/version", "/apis/g/v1/widgets"}) {
      requests.push_back(request(target, user));
    }
  }
  std::map<std::string, json::value> specs;
  for (const http::Request& each : requests) {
    const json::value spec = SubjectAccessReviewSpec(each);
    const auto [found, added] = specs.try_emplace(SubjectAccessReviewKey(each), spec);
    EXPECT_TRUE(added) << json::serialize(spec) << " and " << json::serialize(found->second);
    EXPECT_EQ(SubjectAccessReviewKey(each), found->first);
  }
}

// The key leaves a selector out that the spec leaves out.
TEST(SubjectAccessReviewTest, LongSelectorsAreNoPartOfTheKey) {
  http::Request request = MakeReadRequest("GET", "/apis/g/v1/widgets");
  const std::string none = SubjectAccessReviewKey(request);
  request.query = {{"labelSelector", "a=" + std::string(4 << 10, ' ')}};
  EXPECT_EQ(SubjectAccessReviewKey(request), none);
  request.query = {{"labelSelector", "a=b"}};
  EXPECT_NE(SubjectAccessReviewKey(request), none);
}

}  // namespace
}  // namespace steward::filters
