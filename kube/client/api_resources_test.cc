#include "kube/client/api_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const GroupVersion kGroupVersion{"example.com", "v1"};

std::string Document(std::string_view resources) {
  return StrCat(R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/v1",)",
                R"("resources":)", resources, "}");
}

TEST(ApiResourcesTest, TheKindsOfAVersion) {
  const auto resources = ParseApiResources(
      Document(R"([{"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget",)"
               R"("verbs":["get","list"]},{"name":"widgets/status","namespaced":true,)"
               R"("kind":"Widget","verbs":["get"]},{"name":"shops","kind":"Shop",)"
               R"("group":"example.com","version":"v1","verbs":null},)"
               R"({"name":"others","kind":"Other","group":"other.com","verbs":[]}])"),
      kGroupVersion);
  ASSERT_OK(resources);
  EXPECT_THAT(*resources, ElementsAre(ApiResource{"Widget", "widgets", true, {"get", "list"}},
                                      ApiResource{"Shop", "shops", false, {}}));
}

TEST(ApiResourcesTest, AVersionWithoutKinds) {
  for (const char* none : {"[]", "null"}) {
    EXPECT_THAT(ParseApiResources(Document(none), kGroupVersion), IsOkAndHolds(IsEmpty()));
  }
}

TEST(ApiResourcesTest, NothingElseIsProofOfAbsence) {
  for (const std::string& document : {
           std::string(),
           std::string("<html>"),
           std::string("[]"),
           std::string("{}"),
           std::string(R"({"kind":"Status","resources":[]})"),
           std::string(R"({"kind":"APIResourceList","groupVersion":"v1","resources":[]})"),
           std::string(R"({"kind":"APIResourceList","groupVersion":"example.com/v1"})"),
           Document("{}"),
           Document("[1]"),
           Document(R"([{"name":"widgets"}])"),
           Document(R"([{"kind":"Widget"}])"),
           Document(R"([{"name":"widgets","kind":7}])"),
           Document("[] x"),
       }) {
    EXPECT_EQ(ParseApiResources(document, kGroupVersion).status().code(),
              absl::StatusCode::kDataLoss)
        << document;
  }
}

TEST(ApiResourcesTest, TheVersionsOfGroups) {
  EXPECT_THAT(ParseApiGroups(R"({"kind":"APIVersions","versions":["v1"]})"),
              IsOkAndHolds(ElementsAre(GroupVersion{"", "v1"})));
  EXPECT_THAT(ParseApiGroups(R"({"kind":"APIGroupList","groups":[{"name":"a.b","versions":[)"
                             R"({"version":"v1beta1"},{"version":"v2"},{"version":"v1"}],)"
                             R"("preferredVersion":{"version":"v1"}},)"
                             R"({"name":"c.d","versions":[{"version":"v3"}]}]})"),
              IsOkAndHolds(ElementsAre(GroupVersion{"a.b", "v1"}, GroupVersion{"a.b", "v1beta1"},
                                       GroupVersion{"a.b", "v2"}, GroupVersion{"c.d", "v3"})));
  for (const char* document :
       {"[]", "{}", R"({"kind":"APIVersions"})", R"({"kind":"APIVersions","versions":[1]})",
        R"({"kind":"APIGroupList"})", R"({"kind":"APIGroupList","groups":[1]})",
        R"({"kind":"APIGroupList","groups":[{"name":"a"}]})",
        R"({"kind":"APIGroupList","groups":[{"name":"a","versions":[{}]}]})"}) {
    EXPECT_EQ(ParseApiGroups(document).status().code(), absl::StatusCode::kDataLoss) << document;
  }
}

TEST(ApiResourcesTest, IsBounded) {
  std::string many = "[";
  for (size_t i = 0; i <= kMaxApiResources; ++i) {
    StrAppend(&many, i == 0 ? "" : ",", R"({"name":"a","kind":"A"})");
  }
  EXPECT_EQ(ParseApiResources(Document(many + "]"), kGroupVersion).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(
      ParseApiResources(std::string(kMaxDiscoveryBytes + 1, ' '), kGroupVersion).status().code(),
      absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace steward::kube
