#include "kube/meta/object_kind.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <utility>
#include <vector>

namespace steward::kube {
namespace {

TEST(ObjectKindTest, OfApiVersionAndKind) {
  for (const auto& [json, gvk] : std::vector<std::pair<std::string, GroupVersionKind>>{
           {R"({"apiVersion":"v1","kind":"Pod"})", {"", "v1", "Pod"}},
           {R"({"apiVersion":"a.b/v1","kind":"K"})", {"a.b", "v1", "K"}},
           {R"({"apiVersion":"a.b/","kind":1})", {"a.b", "", ""}},
           {"{}", {"", "", ""}}}) {
    EXPECT_EQ(KindOf(boost::json::parse(json).as_object()), gvk) << json;
  }
}

}  // namespace
}  // namespace steward::kube
