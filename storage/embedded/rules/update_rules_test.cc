// The expected results are the answers of a kube-apiserver 1.36.3.
#include <gtest/gtest.h>

#include <string>

#include "storage/embedded/rules/object_rules.h"
#include "storage/embedded/rules/test_rules.h"

namespace steward::storage {
namespace {

using Kind = UpdateOutcome::Kind;

constexpr char kWidget[] =
    R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"ns","uid":"u1","resourceVersion":"260","generation":3,"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"l":"1"}},"spec":{"x":1},"status":{"s":1}})";
constexpr char kMarkedWidget[] =
    R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"ns","uid":"u1","resourceVersion":"260","generation":3,"creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":"2026-01-02T00:00:00Z","deletionGracePeriodSeconds":0,"finalizers":["x/f","x/g"]},"spec":{"x":1}})";
constexpr char kGizmo[] =
    R"({"apiVersion":"example.com/v1","kind":"Gizmo","metadata":{"name":"a","uid":"u1","resourceVersion":"260","generation":3},"status":{"s":1}})";
constexpr char kConfigMap[] =
    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"ns","uid":"u1","resourceVersion":"260","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"l":"1"}},"data":{"k":"v"}})";

struct Row {
  const char* name;
  kube::ResourceType type;
  const char* stored;
  // A merge into the stored object; its nulls delete.
  const char* change;
  const char* subresource = "";
};

void Merge(const boost::json::object& change, boost::json::object& object) {
  for (const auto& member : change) {
    boost::json::value* value = object.if_contains(member.key());
    if (member.value().is_null()) {
      object.erase(member.key());
    } else if (value != nullptr && value->is_object() && member.value().is_object()) {
      Merge(member.value().get_object(), value->get_object());
    } else {
      object[member.key()] = member.value();
    }
  }
}

boost::json::object Changed(const char* stored, const char* change) {
  boost::json::object object = JsonObject(stored);
  Merge(JsonObject(change), object);
  return object;
}

absl::StatusOr<UpdateOutcome> Update(const Row& row) {
  return PrepareUpdate(row.type, JsonObject(row.stored), Changed(row.stored, row.change),
                       row.subresource, WriteContext());
}

TEST(PrepareUpdateTest, LeavesEqualsAlone) {
  const Row rows[] = {
      {"same", Widget(), kWidget, "{}"},
      {"system fields are filled in", Widget(), kWidget,
       R"({"metadata":{"uid":null,"namespace":null,"creationTimestamp":null,"generation":null}})"},
      {"or kept", Widget(), kWidget,
       R"({"metadata":{"generation":99,"creationTimestamp":"2001-01-01T00:00:00Z"}})"},
      {"status is not this one's to change", Widget(), kWidget, R"({"status":{"s":2}})"},
      {"or to drop", Widget(), kWidget, R"({"status":null})"},
      {"nor is the rest the subresource's", Widget(), kWidget,
       R"({"spec":{"x":2},"extra":1,"metadata":{"labels":{"a b":"c"},"finalizers":["x"]}})",
       "status"},
      {"what Kubernetes drops", Widget(), kWidget,
       R"({"metadata":{"annotations":{},"managedFields":[],"foo":1}})"},
      {"another number for the same version", Widget(), kWidget,
       R"({"metadata":{"resourceVersion":"0260"}})"},
      {"unconditional", ConfigMap(), kConfigMap, R"({"metadata":{"resourceVersion":null}})"},
      {"version 0", ConfigMap(), kConfigMap, R"({"metadata":{"resourceVersion":"0"}})"},
      {"without type", ConfigMap(), kConfigMap, R"({"kind":null,"apiVersion":null})"},
      {"marked for deletion, and the client does not say so", Widget(), kMarkedWidget,
       R"({"metadata":{"deletionTimestamp":null,"deletionGracePeriodSeconds":null}})"},
      {"or says when", Widget(), kMarkedWidget,
       R"({"metadata":{"deletionTimestamp":"2001-01-01T00:00:00Z"}})"},
      {"a namespace of a cluster-scoped object", Gizmo(), kGizmo,
       R"({"metadata":{"namespace":"x"}})"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const absl::StatusOr<UpdateOutcome> outcome = Update(row);
    ASSERT_OK(outcome);
    EXPECT_EQ(outcome->kind, Kind::kUnchanged);
    EXPECT_EQ(outcome->object, JsonObject(row.stored)) << Serialize(outcome->object);
  }
}

TEST(PrepareUpdateTest, Changes) {
  struct ChangeRow : Row {
    const char* difference;  // from the stored object, in the form of a change
    Kind kind = Kind::kChanged;
  };
  const ChangeRow rows[] = {
      {{"spec", Widget(), kWidget, R"({"spec":{"x":2}})"},
       R"({"spec":{"x":2},"metadata":{"generation":4}})"},
      {{"a new member", Widget(), kWidget, R"({"extra":1})"},
       R"({"extra":1,"metadata":{"generation":4}})"},
      {{"a member less", Widget(), kWidget, R"({"spec":null})"},
       R"({"spec":null,"metadata":{"generation":4}})"},
      {{"metadata alone is no new generation", Widget(), kWidget,
        R"({"metadata":{"labels":{"l":"2"},"generateName":"A_","finalizers":["abc"]}})"},
       R"({"metadata":{"labels":{"l":"2"},"generateName":"A_","finalizers":["abc"]}})"},
      {{"no labels", Widget(), kWidget, R"({"metadata":{"labels":null}})"},
       R"({"metadata":{"labels":null}})"},
      {{"status", Widget(), kWidget, R"({"spec":{"x":9},"status":{"s":2}})", "status"},
       R"({"status":{"s":2}})"},
      {{"no status", Widget(), kWidget, R"({"status":null})", "status"}, R"({"status":null})"},
      {{"status without the subresource", Gizmo(), kGizmo, R"({"status":{"s":2}})"},
       R"({"status":{"s":2},"metadata":{"generation":4}})"},
      {{"built-in kinds have no generation", ConfigMap(), kConfigMap, R"({"data":{"k":"w"}})"},
       R"({"data":{"k":"w"}})"},
      {{"marked for deletion", Widget(), kMarkedWidget, R"({"spec":{"x":2}})"},
       R"({"spec":{"x":2},"metadata":{"generation":4}})"},
      {{"one finalizer less", Widget(), kMarkedWidget, R"({"metadata":{"finalizers":["x/g"]}})"},
       R"({"metadata":{"finalizers":["x/g"]}})"},
      {{"none left", Widget(), kMarkedWidget,
        R"({"metadata":{"finalizers":[],"labels":{"a":"b"}}})"},
       R"({"metadata":{"finalizers":null,"labels":{"a":"b"}}})",
       Kind::kRemoved},
      {{"the status subresource removes nothing", Widget(), kMarkedWidget,
        R"({"metadata":{"finalizers":[]},"status":{"s":1}})", "status"},
       R"({"status":{"s":1}})"},
  };
  for (const ChangeRow& row : rows) {
    SCOPED_TRACE(row.name);
    const absl::StatusOr<UpdateOutcome> outcome = Update(row);
    ASSERT_OK(outcome);
    EXPECT_EQ(outcome->kind, row.kind);
    EXPECT_EQ(outcome->object, Changed(row.stored, row.difference)) << Serialize(outcome->object);
  }
}

TEST(PrepareUpdateTest, KeepsMetadataInOrder) {
  const absl::StatusOr<UpdateOutcome> outcome = PrepareUpdate(
      Widget(), JsonObject(kWidget),
      JsonObject(
          R"({"spec":{},"metadata":{"finalizers":["a/b"],"annotations":{"b":"","a":""},"resourceVersion":"260","name":"a"},"kind":"Widget","apiVersion":"example.com/v1"})"),
      "", WriteContext());
  ASSERT_OK(outcome);
  EXPECT_EQ(
      Serialize(outcome->object),
      R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"ns","uid":"u1","resourceVersion":"260","generation":4,"creationTimestamp":"2026-01-01T00:00:00Z","annotations":{"b":"","a":""},"finalizers":["a/b"]},"spec":{},"status":{"s":1}})");
}

TEST(PrepareUpdateTest, Refuses) {
  struct RefusedRow : Row {
    std::string answer;
  };
  const std::string modified =
      ": the object has been modified; please apply your changes to the latest version and try "
      "again";
  const std::string widget = "422 Invalid Widget.example.com \"a\" is invalid: ";
  const std::string config_map = "422 Invalid ConfigMap \"a\" is invalid: ";
  const RefusedRow rows[] = {
      {{"old version", Widget(), kWidget, R"({"metadata":{"resourceVersion":"1"}})"},
       "409 Conflict Operation cannot be fulfilled on widgets.example.com \"a\"" + modified},
      {{"old version of a built-in", ConfigMap(), kConfigMap,
        R"({"metadata":{"resourceVersion":"1"}})"},
       "409 Conflict Operation cannot be fulfilled on configmaps \"a\"" + modified},
      {{"old version of the subresource", Widget(), kWidget,
        R"({"metadata":{"resourceVersion":"1"}})", "status"},
       "409 Conflict Operation cannot be fulfilled on widgets.example.com \"a\"" + modified},
      {{"no version", Widget(), kWidget, R"({"metadata":{"resourceVersion":null}})"},
       "422 Invalid widgets.example.com \"a\" is invalid: metadata.resourceVersion: Invalid value: "
       "0: must be specified for an update"},
      {{"version no number", Widget(), kWidget, R"({"metadata":{"resourceVersion":"-1"}})"},
       "500  strconv.ParseUint: parsing \"-1\": invalid syntax"},
      {{"version too large", Widget(), kWidget,
        R"({"metadata":{"resourceVersion":"99999999999999999999"}})"},
       "500  strconv.ParseUint: parsing \"99999999999999999999\": value out of range"},
      {{"no name", Widget(), kWidget, R"({"metadata":{"name":null}})"},
       "400 BadRequest the name of the object (a based on URL) was undeterminable: name must be "
       "provided"},
      {{"another name", Widget(), kWidget, R"({"metadata":{"name":"b"}})"},
       "400 BadRequest the name of the object (b) does not match the name on the URL (a)"},
      {{"another namespace", Widget(), kWidget,
        R"({"metadata":{"namespace":"z","name":"b","uid":"z"}})"},
       "400 BadRequest the namespace of the provided object does not match the namespace sent on "
       "the request"},
      {{"another uid, before the version", Widget(), kWidget,
        R"({"metadata":{"uid":"z","resourceVersion":"1"}})"},
       "409 Conflict Operation cannot be fulfilled on widgets.example.com \"a\": StorageError: "
       "invalid object, Code: 4, Key: /example.com/widgets/ns/a, ResourceVersion: 0, "
       "AdditionalErrorMsg: Precondition failed: UID in precondition: z, UID in object meta: u1"},
      {{"another uid of a built-in", ConfigMap(), kConfigMap, R"({"metadata":{"uid":"z"}})"},
       "409 Conflict Operation cannot be fulfilled on configmaps \"a\": StorageError: invalid "
       "object, Code: 4, Key: /configmaps/ns/a, ResourceVersion: 0, AdditionalErrorMsg: "
       "Precondition failed: UID in precondition: z, UID in object meta: u1"},
      {{"another uid at the cluster scope", Gizmo(), kGizmo, R"({"metadata":{"uid":"z"}})"},
       "409 Conflict Operation cannot be fulfilled on gizmos.example.com \"a\": StorageError: "
       "invalid object, Code: 4, Key: /example.com/gizmos/a, ResourceVersion: 0, "
       "AdditionalErrorMsg: Precondition failed: UID in precondition: z, UID in object meta: u1"},
      {{"another kind, with what else is wrong", Widget(), kWidget,
        R"({"kind":"Zed","metadata":{"labels":{"a b":"c"}}})"},
       StrCat("422 Invalid Zed.example.com \"a\" is invalid: [metadata.labels: Invalid value: \"a "
              "b\": ",
              kKeyForm, ", kind: Invalid value: \"Zed\": must be Widget]")},
      {{"another kind of a built-in", ConfigMap(), kConfigMap, R"({"kind":"Zed"})"},
       R"(400 BadRequest Zed in version "v1" cannot be handled as a ConfigMap: no kind "Zed" is registered for version "v1")"},
      {{"another version", Widget(), kWidget, R"({"apiVersion":"example.com/v9"})"},
       "400 BadRequest the API version in the data (example.com/v9) does not match the expected "
       "API version (example.com/v1)"},
      {{"unreadable", Widget(), kWidget, R"({"metadata":{"labels":3,"uid":"z"}})"},
       "400 BadRequest Widget in version \"v1\" cannot be handled as a Widget: json: cannot "
       "unmarshal number into Go struct field ObjectMeta.labels of type map[string]string"},
      {{"unreadable in the subresource", Widget(), kWidget, R"({"metadata":{"labels":3}})",
        "status"},
       "400 BadRequest Widget in version \"v1\" cannot be handled as a Widget: json: cannot "
       "unmarshal number into Go struct field ObjectMeta.labels of type map[string]string"},
      {{"marks itself", Widget(), kWidget,
        R"({"metadata":{"deletionTimestamp":"2001-01-01T01:00:00+01:00"}})"},
       widget + "metadata.deletionTimestamp: Invalid value: \"2001-01-01T00:00:00Z\": field is "
                "immutable"},
      {{"grace period", Widget(), kMarkedWidget,
        R"({"metadata":{"deletionGracePeriodSeconds":7}})"},
       widget + "metadata.deletionGracePeriodSeconds: Invalid value: 7: field is immutable"},
      {{"new finalizers", Widget(), kMarkedWidget,
        R"({"metadata":{"finalizers":["z.com/z","x/f","a.com/a"]}})"},
       widget +
           "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
           "deleted, found new finalizers []string{\"a.com/a\", \"z.com/z\"}"},
      {{"generateName is judged when it is used", ConfigMap(), kConfigMap,
        R"({"metadata":{"generateName":"a/"}})"},
       config_map + "metadata.generateName: Invalid value: \"a/\": may not contain '/'"},
      {{"bad finalizers", ConfigMap(), kConfigMap,
        R"({"metadata":{"finalizers":["x/a b","abc"]}})"},
       StrCat(config_map, "[metadata.finalizers: Invalid value: \"x/a b\": ", kKeyForm,
              ", metadata.finalizers[1]: Invalid value: \"abc\": name is neither a standard "
              "finalizer name nor is it fully qualified]")},
  };
  for (const RefusedRow& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Answer(Update(row)), row.answer);
  }
}

TEST(PrepareUpdateTest, FollowsTheSchemaWhereValuesChange) {
  const absl::StatusOr<kube::Schema> schema =
      kube::Schema::Parse(R"({"type":"object","properties":{"spec":{"type":"object","properties":{)"
                          R"("x":{"type":"string"},"y":{"type":"string"}}},)"
                          R"("status":{"type":"object","properties":{"s":{"type":"integer"}}}}})");
  ASSERT_OK(schema);
  WriteContext context;
  context.schema = &*schema;
  const struct {
    const char* change;
    const char* subresource;
    const char* refused;  // "" = nothing
  } kRows[] = {
      // The stored spec.x is a number.
      {R"({"metadata":{"labels":{"l":"2"}}})", "", ""},
      {R"({"spec":{"y":"1"}})", "", ""},
      {R"({"spec":{"x":2}})", "", "spec.x"},
      {R"({"spec":{"y":1}})", "", "spec.y"},
      {R"({"status":{"s":2}})", "status", ""},
      {R"({"status":{"s":"2"}})", "status", "status.s"},
  };
  for (const auto& row : kRows) {
    const absl::StatusOr<UpdateOutcome> outcome = PrepareUpdate(
        Widget(), JsonObject(kWidget), Changed(kWidget, row.change), row.subresource, context);
    if (*row.refused == '\0') {
      EXPECT_OK(outcome) << row.change;
      continue;
    }
    ASSERT_FALSE(outcome.ok()) << row.change;
    const kube::Status status = kube::FromStatus(outcome.status());
    EXPECT_EQ(status.code, 422);
    ASSERT_EQ(status.causes.size(), 1u);
    EXPECT_EQ(status.causes[0].field, row.refused);
  }
}

}  // namespace
}  // namespace steward::storage
