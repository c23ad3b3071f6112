// The expected results are the answers of a kube-apiserver 1.36.3, except for requests that this
// server does not accept.
#include <gtest/gtest.h>

#include <string>

#include "storage/embedded/rules/object_rules.h"
#include "storage/embedded/rules/test_rules.h"

namespace steward::storage {
namespace {

using kube::PatchType;

constexpr char kWidget[] =
    R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"m","namespace":"ns","uid":"u1","resourceVersion":"7","generation":1,"labels":{"l":"1"}},"spec":{"l":[1],"o":{"p":1}}})";
constexpr char kConfigMap[] =
    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","namespace":"ns","uid":"u1","resourceVersion":"7","labels":{"l":"1"},"finalizers":["x/a"]},"data":{"k":"v"}})";

absl::StatusOr<boost::json::object> Patch(const kube::ResourceType& type, PatchType patch_type,
                                          std::string_view patch) {
  return ApplyPatch(type, JsonObject(type.custom ? kWidget : kConfigMap), patch_type, Json(patch));
}

TEST(ApplyPatchTest, Merges) {
  struct Row {
    const char* name;
    const char* patch;
    const char* spec;
  };
  const Row rows[] = {
      {"nothing", "{}", R"({"l":[1],"o":{"p":1}})"},
      {"members merge", R"({"spec":{"o":{"q":2}}})", R"({"l":[1],"o":{"p":1,"q":2}})"},
      {"nulls delete", R"({"spec":{"l":null,"o":{"p":null,"z":null}}})", R"({"o":{}})"},
      {"arrays are replaced", R"({"spec":{"l":[2,3]}})", R"({"l":[2,3],"o":{"p":1}})"},
      {"an object for an array", R"({"spec":{"l":{"a":null,"b":1}}})",
       R"({"l":{"b":1},"o":{"p":1}})"},
      {"a scalar for an object", R"({"spec":{"o":"x"}})", R"({"l":[1],"o":"x"})"},
      {"nulls in new objects", R"({"spec":{"o":null,"l":null,"n":{"a":null,"p":{"q":null}}}})",
       R"({"n":{"p":{}}})"},
      {"nulls in arrays", R"({"spec":{"o":null,"l":[{"a":null,"b":[null,{"c":null}]},null]}})",
       R"({"l":[{"b":[null,{}]},null]})"},
      {"a dollar means nothing", R"({"spec":{"o":{"$patch":"delete"}}})",
       R"({"l":[1],"o":{"p":1,"$patch":"delete"}})"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    boost::json::object expected = JsonObject(kWidget);
    expected["spec"] = Json(row.spec);
    const absl::StatusOr<boost::json::object> patched =
        Patch(Widget(), PatchType::kJsonMerge, row.patch);
    ASSERT_OK(patched);
    EXPECT_EQ(Serialize(*patched), Serialize(expected));
  }
}

TEST(ApplyPatchTest, TheResultIsUpdated) {
  const absl::StatusOr<boost::json::object> patched =
      Patch(Widget(), PatchType::kJsonMerge,
            R"({"spec":{"l":null},"metadata":{"uid":null,"generation":9,"labels":{"l":null}}})");
  ASSERT_OK(patched);
  const absl::StatusOr<UpdateOutcome> outcome =
      PrepareUpdate(Widget(), JsonObject(kWidget), *patched, "", WriteContext());
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->kind, UpdateOutcome::Kind::kChanged);
  EXPECT_EQ(
      Serialize(outcome->object),
      R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"m","namespace":"ns","uid":"u1","resourceVersion":"7","generation":2},"spec":{"o":{"p":1}}})");

  const absl::StatusOr<boost::json::object> old =
      Patch(Widget(), PatchType::kJsonMerge, R"({"metadata":{"resourceVersion":"1"}})");
  ASSERT_OK(old);
  EXPECT_EQ(Answer(PrepareUpdate(Widget(), JsonObject(kWidget), *old, "", WriteContext())),
            "409 Conflict Operation cannot be fulfilled on widgets.example.com \"m\": the object "
            "has been modified; please apply your changes to the latest version and try again");
}

TEST(ApplyPatchTest, Refuses) {
  constexpr PatchType kMerge = PatchType::kJsonMerge;
  constexpr PatchType kStrategic = PatchType::kStrategicMerge;
  const std::string unknown =
      "415 UnsupportedMediaType the body of the request was in an unknown "
      "format - accepted media types include: ";
  struct Row {
    const char* name;
    kube::ResourceType type;
    PatchType patch_type;
    const char* patch;
    std::string answer;
  };
  kube::ResourceType csv =
      MakeType("operators.coreos.com", "ClusterServiceVersion", "clusterserviceversions");
  const Row rows[] = {
      {"strategic", Widget(), kStrategic, "{}", unknown + "application/merge-patch+json"},
      {"strategic for OLM's", csv, kStrategic, "{}", unknown + "application/merge-patch+json"},
      {"JSON patch", Widget(), PatchType::kJson, "[]",
       "415 UnsupportedMediaType this server does not do JSON patches (RFC 6902); use "
       "application/merge-patch+json"},
      {"apply", ConfigMap(), PatchType::kApply, "{}",
       "415 UnsupportedMediaType this server does not do server-side apply; use "
       "application/merge-patch+json or application/strategic-merge-patch+json"},
      {"an array", Widget(), kMerge, "[]",
       "400 BadRequest error decoding patch: json: cannot unmarshal array into Go value of type "
       "map[string]interface {}"},
      {"a number", ConfigMap(), kStrategic, "3",
       "400 BadRequest json: cannot unmarshal number into Go value of type map[string]interface "
       "{}"},
      {"null", Widget(), kMerge, "null", "400 BadRequest Invalid JSON Patch"},
      {"null is nothing", ConfigMap(), kStrategic, "null", "OK"},
      {"no metadata", Widget(), kMerge, R"({"metadata":null})",
       "400 BadRequest the name of the object (m based on URL) was undeterminable: name must be "
       "provided"},
      {"another name", ConfigMap(), kStrategic, R"({"metadata":{"name":"z"}})",
       "400 BadRequest the name of the object (z) does not match the name on the URL (m)"},
      {"another namespace, before the name", Widget(), kMerge,
       R"({"metadata":{"namespace":"z","name":"z"}})",
       "400 BadRequest the namespace of the provided object does not match the namespace sent on "
       "the request"},
      {"another uid", Widget(), kMerge, R"({"metadata":{"uid":"z"}})",
       "422 Invalid Widget.example.com \"m\" is invalid: metadata.uid: Invalid value: \"z\": field "
       "is immutable"},
      {"another version", Widget(), kMerge, R"({"apiVersion":"v9","metadata":{"uid":"z"}})",
       "422 Invalid Widget \"m\" is invalid: [metadata.uid: Invalid value: \"z\": field is "
       "immutable, apiVersion: Invalid value: \"v9\": must be example.com/v1]"},
      {"another uid of an old state", Widget(), kMerge,
       R"({"metadata":{"uid":"z","resourceVersion":"1"}})",
       "409 Conflict Operation cannot be fulfilled on widgets.example.com \"m\": the object has "
       "been modified; please apply your changes to the latest version and try again"},
      {"a strategic patch keeps the type", ConfigMap(), kStrategic,
       R"({"kind":"Zed","apiVersion":"v9"})", "OK"},
      {"unreadable", Widget(), kMerge, R"({"metadata":"x","spec":null})",
       R"(422 Invalid  "" is invalid: patch: Invalid value: "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":\"x\"}": json: cannot unmarshal string into Go value of type v1.ObjectMeta)"},
      {"another kind", ConfigMap(), kMerge, R"({"kind":"Zed","metadata":null})",
       R"(422 Invalid  "" is invalid: patch: Invalid value: "{\"apiVersion\":\"v1\",\"kind\":\"Zed\",\"data\":{\"k\":\"v\"}}": no kind "Zed" is registered for version "v1")"},
      {"labels that are no strings", ConfigMap(), kStrategic,
       R"({"$patch":"replace","metadata":{"labels":{"a":1}}})",
       R"(422 Invalid  "" is invalid: patch: Invalid value: "{\"metadata\":{\"labels\":{\"a\":1}},\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"}": json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string)"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Answer(Patch(row.type, row.patch_type, row.patch)), row.answer);
  }
  // The update checks what the patch does not.
  EXPECT_OK(Patch(Widget(), kMerge, R"({"kind":"Zed","metadata":{"labels":{"a b":"1"}}})"));
}

}  // namespace
}  // namespace steward::storage
