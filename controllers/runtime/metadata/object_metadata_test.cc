#include "controllers/runtime/metadata/object_metadata.h"

#include "base/status/matchers.h"

namespace steward::controllers {
namespace {

TEST(ObjectMetadataTest, ReadsTheLittleItNeeds) {
  const std::pair<const char*, ObjectMetadata> rows[] = {
      {R"({"metadata":{"name":"a","uid":"u"}})", {{"", "a"}, "u", false, {}}},
      {R"({"kind":"PartialObjectMetadata","metadata":{"namespace":"n","uid":"u","labels":{"x":"y"},)"
       R"("deletionTimestamp":"2024-01-01T00:00:00Z","finalizers":["f\u0031","g"],"name":"a"}})",
       {{"n", "a"}, "u", true, {"f1", "g"}}},
      {R"({"metadata":{"name":"a","uid":"u","namespace":null,"deletionTimestamp":null,)"
       R"("finalizers":null,"managedFields":[{"fieldsV1":{"name":7}}]},"spec":{"uid":3}})",
       {{"", "a"}, "u", false, {}}},
  };
  for (const auto& [json, expected] : rows) {
    ASSERT_OK_AND_ASSIGN(const ObjectMetadata got, DecodeObjectMetadata(json));
    EXPECT_EQ(got, expected) << json;
  }
}

TEST(ObjectMetadataTest, RefusesWhatIsNoObject) {
  for (const char* json :
       {"", "[]", "null", "7", "{}", R"({"metadata":[]})", R"({"metadata":{"name":"a"}})",
        R"({"metadata":{"uid":"u"}})", R"({"metadata":{"name":7,"uid":"u"}})",
        R"({"metadata":{"name":"a","uid":"u","finalizers":{}}})",
        R"({"metadata":{"name":"a","uid":"u","finalizers":[1]}})",
        R"({"metadata":{"name":"a","uid":"u","deletionTimestamp":true}})",
        R"({"metadata":{"name":"a","uid":"u")"}) {
    EXPECT_THAT(DecodeObjectMetadata(json), StatusIs(absl::StatusCode::kInvalidArgument)) << json;
  }
}

}  // namespace
}  // namespace steward::controllers
