#include "kube/client/object_meta.h"

#include "base/status/matchers.h"
#include "kube/client/raw_object.h"

namespace steward::kube {
namespace {

TEST(ObjectMetaTest, ReadsTheLittleItNeeds) {
  const struct {
    const char* json;
    ObjectMeta meta;
    const char* resource_version;
  } rows[] = {
      {R"({"metadata":{"name":"a","uid":"u"}})", {{"", "a"}, "u", false, {}}, ""},
      {R"({"kind":"PartialObjectMetadata","metadata":{"namespace":"n","uid":"u","labels":{"x":"y"},)"
       R"("deletionTimestamp":"2024-01-01T00:00:00Z","finalizers":["f\u0031","g"],"name":"a",)"
       R"("resourceVersion":"7"}})",
       {{"n", "a"}, "u", true, {"f1", "g"}},
       "7"},
      {R"({"metadata":{"name":"a","uid":"u","namespace":null,"deletionTimestamp":null,)"
       R"("finalizers":null,"resourceVersion":null,)"
       R"("managedFields":[{"fieldsV1":{"name":7}}]},"spec":{"uid":3}})",
       {{"", "a"}, "u", false, {}},
       ""},
      {R"({"spec":{"metadata":{"name":"b"}},"metadata":{"n\u0061me":"a","uid":"u"}})",
       {{"", "a"}, "u", false, {}},
       ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.json);
    ASSERT_OK_AND_ASSIGN(const VersionedMeta got, DecodeObjectMeta(OwnedRawObject(row.json)));
    EXPECT_EQ(got.meta, row.meta);
    EXPECT_EQ(got.resource_version, row.resource_version);
  }
}

TEST(ObjectMetaTest, RefusesWhatIsNoObject) {
  for (const char* json : {"", "[]", "null", "7", "{", "{}", R"({"metadata":[]})",
                           R"({"metadata":null})", R"({"metadata":{"name":"a"}})",
                           R"({"metadata":{"uid":"u"}})", R"({"metadata":{"name":7,"uid":"u"}})",
                           R"({"metadata":{"name":"a","uid":"u","resourceVersion":7}})",
                           R"({"metadata":{"name":"a","uid":"u","finalizers":{}}})",
                           R"({"metadata":{"name":"a","uid":"u","finalizers":[1]}})",
                           R"({"metadata":{"name":"a","uid":"u","deletionTimestamp":true}})",
                           R"({"metadata":{"name":"a","uid":"u")"}) {
    EXPECT_THAT(DecodeObjectMeta(OwnedRawObject(json)),
                StatusIs(absl::StatusCode::kInvalidArgument))
        << json;
  }
}

}  // namespace
}  // namespace steward::kube
