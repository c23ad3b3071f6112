#include "apiserver/filters/authorization/subject_access_review.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "apiserver/filters/testing/requests.h"

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

}  // namespace
}  // namespace steward::filters
