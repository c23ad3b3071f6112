#include "olm/decode.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "olm/targets.h"

namespace steward::olm {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kCsv[] = R"({
  "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
  "metadata": {
    "name": "etcd.v1", "namespace": "ops", "uid": "u-1", "resourceVersion": "7",
    "creationTimestamp": "2026-01-02T03:04:05Z",
    "labels": {"operators.coreos.com/etcd.ops": "", "olm.managed": "true", "tab\"key": "q\"v"},
    "annotations": {"olm.targetNamespaces": "a,b", "olm.operatorNamespace": "ops",
      "kubectl.kubernetes.io/last-applied-configuration": "{}", "alm-examples": "[{\"a\": 1}]"},
    "finalizers": ["other", "operatorframework.io/delete-custom-resources"],
    "managedFields": [{"manager": "m", "fieldsV1": {"f:metadata": {}}}]
  },
  "spec": {"displayName": "etcd \u00e9", "version": "1.0.0", "release": "2", "replaces": "etcd.v0",
    "cleanup": {"enabled": true}, "icon": [{"base64data": "aGk=", "mediatype": "image/png"}],
    "unknown": [1, 2.50, 1e3, "a  b"]},
  "status": {"phase": "Succeeded", "reason": "InstallSucceeded", "message": "all \"good\"",
    "cleanup": {"pendingDeletion": [{"group": "g", "kind": "K", "instances": [{"name": "secret"}]}]},
    "conditions": [ {"phase": "Pending"} ]}
})";

TEST(DecodeCsvTest, ReadsWhatTheRulesNeed) {
  ASSERT_OK_AND_ASSIGN(const CsvPtr csv, DecodeCsv(kCsv));
  EXPECT_EQ(csv->key, (kube::NamespacedName{"ops", "etcd.v1"}));
  EXPECT_EQ(csv->uid, "u-1");
  EXPECT_EQ(csv->created, "2026-01-02T03:04:05Z");
  EXPECT_EQ(csv->phase, "Succeeded");
  EXPECT_EQ(csv->reason, "InstallSucceeded");
  EXPECT_FALSE(csv->copied);
  EXPECT_TRUE(csv->cleanup_opted_in);
  EXPECT_EQ(csv->display_name, "etcd é");
  EXPECT_EQ(csv->version, "1.0.0");
  EXPECT_EQ(csv->release, "2");
  EXPECT_EQ(csv->replaces, "etcd.v0");
  EXPECT_EQ(csv->labels, (kube::LabelMap{{"olm.managed", "true"}, {"tab\"key", "q\"v"}}));
}

TEST(DecodeCsvTest, KeepsTheJsonThatACopyCarries) {
  ASSERT_OK_AND_ASSIGN(const CsvPtr csv, DecodeCsv(kCsv));
  EXPECT_EQ(csv->labels_json, R"("olm.managed":"true","tab\"key":"q\"v")");
  EXPECT_EQ(csv->component_labels.size(), 1u);
  EXPECT_THAT(csv->own_labels_json,
              testing::AllOf(testing::HasSubstr(R"("olm.managed":"true")"),
                             testing::HasSubstr(R"("operators.coreos.com/)")));
  EXPECT_EQ(csv->annotations_json,
            R"("olm.operatorNamespace":"ops","alm-examples":"[{\"a\": 1}]")");
  EXPECT_EQ(csv->spec_json, R"({"displayName":"etcd \u00e9","version":"1.0.0","release":"2",)"
                            R"("replaces":"etcd.v0","cleanup":{"enabled":true},)"
                            R"("icon":[{"base64data":"aGk=","mediatype":"image/png"}],)"
                            R"("unknown":[1,2.50,1e3,"a  b"]})");
  EXPECT_EQ(csv->status_json,
            R"("phase":"Succeeded","cleanup":{},"conditions":[{"phase":"Pending"}])");
  EXPECT_EQ(csv->reason_json, R"("InstallSucceeded")");
  EXPECT_EQ(csv->message_json, R"("all \"good\"")");
}

TEST(DecodeCsvTest, BothHalvesOfTheOptInAreNeeded) {
  const auto opted_in = [](const char* finalizers, const char* cleanup) {
    const std::string json = std::string(R"({"metadata":{"name":"n","namespace":"s","uid":"u",)") +
                             "\"finalizers\":" + finalizers + R"(},"spec":{"cleanup":)" + cleanup +
                             "}}";
    absl::StatusOr<CsvPtr> csv = DecodeCsv(json);
    EXPECT_OK(csv);
    return csv.ok() && (*csv)->cleanup_opted_in;
  };
  constexpr char kFinalizer[] = R"(["operatorframework.io/delete-custom-resources"])";
  EXPECT_TRUE(opted_in(kFinalizer, R"({"enabled":true})"));
  EXPECT_FALSE(opted_in(kFinalizer, R"({"enabled":false})"));
  EXPECT_FALSE(opted_in(kFinalizer, "{}"));
  EXPECT_FALSE(opted_in(kFinalizer, "null"));
  EXPECT_FALSE(opted_in("null", R"({"enabled":true})"));
  EXPECT_FALSE(opted_in(R"(["operatorframework.io/cleanup-apis"])", R"({"enabled":true})"));
}

TEST(DecodeCsvTest, OfACopyOnlyTheMarksAreHeld) {
  ASSERT_OK_AND_ASSIGN(const CsvPtr csv,
                       DecodeCsv(R"({"metadata":{"name":"n","namespace":"t","uid":"u",)"
                                 R"("labels":{"olm.copiedFrom":""}},"spec":{"displayName":"big"},)"
                                 R"("status":{"phase":"Succeeded","reason":"Copied"}})"));
  EXPECT_TRUE(csv->copied);
  EXPECT_EQ(csv->reason, "Copied");
  EXPECT_THAT(csv->spec_json, IsEmpty());
  EXPECT_THAT(csv->status_json, IsEmpty());
}

TEST(DecodeCsvTest, HoldsWhatCleanupReads) {
  ASSERT_OK_AND_ASSIGN(const CsvPtr csv, DecodeCsv(kCsv));
  ASSERT_NE(csv->cleanup, nullptr);
  EXPECT_TRUE(csv->cleanup->facts.OptedIn());
  EXPECT_THAT(csv->cleanup->facts.resource_version, IsEmpty());
  EXPECT_THAT(csv->cleanup->pending,
              ::testing::ElementsAre(PendingOperand{"g", "K", "", "secret"}));

  const auto cleanup = [](const char* labels, const char* reason) {
    return (*DecodeCsv(StrCat(R"({"metadata":{"name":"n","namespace":"t","uid":"u","labels":{)",
                              labels, R"(}},"status":{"reason":")", reason, R"("}})")))
        ->cleanup;
  };
  constexpr char kLabel[] = R"("olm.copiedFrom":"ops")";
  EXPECT_EQ(cleanup(kLabel, "Copied"), nullptr);
  EXPECT_NE(cleanup(kLabel, "InstallSucceeded"), nullptr) << "anybody may set the label";
  EXPECT_NE(cleanup("", "Copied"), nullptr);
}

// Every replica must compute the same numbers, whatever was written in between.
TEST(DecodeCsvTest, EqualInAllThatIsRead) {
  const std::string once = kCsv;
  std::string again = once;
  again.replace(again.find(R"("resourceVersion": "7")"), 22, R"("resourceVersion": "8")");
  EXPECT_EQ(**DecodeCsv(once), **DecodeCsv(again));
  std::string fewer = once;
  fewer.replace(fewer.find(R"("other", )"), 9, "");
  EXPECT_NE(**DecodeCsv(once), **DecodeCsv(fewer)) << "a finalizer";
  EXPECT_EQ(static_cast<const CsvContent&>(**DecodeCsv(once)),
            static_cast<const CsvContent&>(**DecodeCsv(fewer)));
}

TEST(DecodeCsvTest, BareObject) {
  ASSERT_OK_AND_ASSIGN(const CsvPtr csv,
                       DecodeCsv(R"({"metadata":{"name":"n","namespace":"t","uid":"u"}})"));
  EXPECT_EQ(csv->spec_json, "{}");
  EXPECT_THAT(csv->phase, IsEmpty());
}

TEST(DecodeCsvTest, TimesAreBroughtToOneForm) {
  ASSERT_OK_AND_ASSIGN(const CsvPtr csv,
                       DecodeCsv(R"({"metadata":{"name":"n","namespace":"t","uid":"u",)"
                                 R"("creationTimestamp":"2026-01-02T05:04:05.5+02:00"}})"));
  EXPECT_EQ(csv->created, "2026-01-02T03:04:05Z");
}

// A field that a view only passes on may have any form that an older definition admitted.
TEST(DecodeCsvTest, SpecAndStatusMayHaveAnyForm) {
  const auto decode = [](const char* rest) {
    absl::StatusOr<CsvPtr> csv = DecodeCsv(StrCat(
        R"({"metadata":{"name":"n","namespace":"t","uid":"u",)",
        R"("finalizers":["olm.operatorframework.io/delete-custom-resources"]},)", rest, "}"));
    EXPECT_OK(csv) << rest;
    return csv.ok() ? *csv : std::make_shared<const Csv>();
  };
  for (const char* spec :
       {R"("hello")", "[]", "7", R"({"cleanup":true})", R"({"cleanup":{"enabled":"yes"}})",
        R"({"icon":"text"})", R"({"provider":"us"})", R"({"installModes":{"AllNamespaces":true}})",
        R"({"customresourcedefinitions":[]})", R"({"displayName":["a"]})"}) {
    const CsvPtr csv = decode(StrCat(R"("spec":)", spec).c_str());
    EXPECT_EQ(csv->spec_json, spec);
    EXPECT_FALSE(csv->cleanup_opted_in) << spec;
    ASSERT_NE(csv->cleanup, nullptr) << spec;
    EXPECT_FALSE(csv->cleanup->facts.cleanup_enabled) << spec;
    EXPECT_FALSE(DecodeIcon(*csv).ok()) << spec;
  }
  // Columns show the JSON.
  const CsvPtr columns =
      decode(R"("spec":{"displayName":["a"],"version":1.10,"release":2,"replaces":{"a":1}},)"
             R"("status":{"phase":3,"reason":7,"message":[]})");
  EXPECT_EQ(columns->display_name, R"(["a"])");
  EXPECT_EQ(columns->version, "1.10");
  EXPECT_EQ(columns->release, "2");
  EXPECT_EQ(columns->replaces, R"({"a":1})");
  EXPECT_EQ(columns->phase, "3");
  EXPECT_EQ(columns->reason, "7");
  EXPECT_EQ(columns->reason_json, "7");
  EXPECT_EQ(columns->message_json, "[]");
  for (const char* status : {R"("done")", "[]", R"({"conditions":{}})", R"({"cleanup":7})"}) {
    EXPECT_EQ(decode(StrCat(R"("status":)", status).c_str())->key.name, "n") << status;
  }
}

// A definition that cannot be read is never taken for one that is not owned.
TEST(DecodeCsvTest, CleanupRefusesASpecThatItCannotRead) {
  for (const char* spec : {R"("hello")", R"({"customresourcedefinitions":[]})"}) {
    ASSERT_OK_AND_ASSIGN(
        const CsvPtr csv,
        DecodeCsv(
            StrCat(R"({"metadata":{"name":"n","namespace":"t","uid":"u"},"spec":)", spec, "}")));
    EXPECT_THAT(csv->cleanup->facts.malformed, Not(IsEmpty())) << spec;
  }
}

// The revision is no part of the object's content.
TEST(DecodeTest, ReadsWhenAnObjectWasWritten) {
  const auto json = [](std::string_view version) {
    return StrCat(R"({"metadata":{"name":"n","namespace":"ns","uid":"u","resourceVersion":)",
                  version, "}}");
  };
  EXPECT_EQ((*DecodeCsv(json(R"("12")")))->written.revision, 12u);
  EXPECT_EQ((*DecodeOperatorGroup(json(R"("13")")))->written.revision, 13u);
  EXPECT_EQ((*DecodeNamespace(json(R"("14")")))->written.revision, 14u);
  for (const char* odd :
       {"null", R"("")", R"("x")", R"("-1")", "[1]", "{}", R"("99999999999999999999")"}) {
    EXPECT_EQ((*DecodeCsv(json(odd)))->written.revision, 0u) << odd;
  }
  EXPECT_EQ(**DecodeCsv(json(R"("1")")), **DecodeCsv(json(R"("2")")));
  EXPECT_EQ(**DecodeOperatorGroup(json(R"("1")")), **DecodeOperatorGroup(json(R"("2")")));
  EXPECT_EQ(**DecodeNamespace(json(R"("1")")), **DecodeNamespace(json(R"("2")")));
}

TEST(DecodeTest, Errors) {
  struct Row {
    const char* json;
    const char* what;
  };
  const Row rows[] = {
      {"", "object"},
      {"[]", "object"},
      {"{", "object"},
      {R"({"metadata":{"namespace":"t","uid":"u"}})", "metadata.name: missing"},
      {R"({"metadata":{"name":"n","namespace":"t"}})", "metadata.uid: missing"},
      {R"({"metadata":{"name":"n","uid":"u"}})", "metadata.namespace: missing"},
      {R"({"metadata":{"name":1,"namespace":"t","uid":"u"}})", "metadata.name"},
      {R"({"metadata":{"name":"n","namespace":"t","uid":"u","labels":{"a":1}}})", "labels"},
      {R"({"metadata":{"name":"n","namespace":"t","uid":"u"}} x)", "object"},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(DecodeCsv(row.json),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(row.what)))
        << row.json;
  }
}

std::string GroupJson(const char* spec) {
  return std::string(R"({"metadata":{"name":"g","namespace":"ops","uid":"u"},"spec":)") + spec +
         "}";
}

TEST(DecodeOperatorGroupTest, ReadsTheSpec) {
  ASSERT_OK_AND_ASSIGN(OperatorGroupPtr group,
                       DecodeOperatorGroup(GroupJson(R"({"targetNamespaces":["b","a"]})")));
  EXPECT_EQ(group->key, (kube::NamespacedName{"ops", "g"}));
  EXPECT_THAT(group->target_namespaces, ::testing::ElementsAre("b", "a"));
  EXPECT_FALSE(group->selector.has_value());

  ASSERT_OK_AND_ASSIGN(
      group, DecodeOperatorGroup(GroupJson(
                 R"({"selector":{"matchLabels":{"a":"b"},)"
                 R"("matchExpressions":[{"key":"c","operator":"In","values":["d","e"]}]}})")));
  ASSERT_TRUE(group->selector.has_value());
  EXPECT_EQ(group->selector->ToString(), "a=b,c in (d,e)");

  ASSERT_OK_AND_ASSIGN(group, DecodeOperatorGroup(GroupJson(R"({"selector":null})")));
  EXPECT_FALSE(group->selector.has_value());
  EXPECT_THAT(group->invalid, IsEmpty());
}

TEST(DecodeOperatorGroupTest, AnUnusableSpecIsKeptAsInvalid) {
  for (const char* spec :
       {R"({"targetNamespaces":["a",""]})",
        R"({"selector":{"matchExpressions":[{"key":"c","operator":"Near"}]}})"}) {
    ASSERT_OK_AND_ASSIGN(const OperatorGroupPtr group, DecodeOperatorGroup(GroupJson(spec)));
    EXPECT_THAT(group->invalid, Not(IsEmpty())) << spec;
  }
}

// An older definition may have admitted anything.
TEST(DecodeOperatorGroupTest, ASpecThatCannotBeReadIsKeptAndMarked) {
  for (const char* spec :
       {R"("all")", "[]", R"({"targetNamespaces":"a"})", R"({"targetNamespaces":[2024]})",
        R"({"selector":"a=b"})", R"({"selector":{"matchLabels":["a"]}})",
        R"({"selector":{"matchLabels":{"monitored":true}}})",
        R"({"selector":{"matchExpressions":{}}})"}) {
    ASSERT_OK_AND_ASSIGN(const OperatorGroupPtr group, DecodeOperatorGroup(GroupJson(spec)));
    EXPECT_THAT(group->unreadable, Not(IsEmpty())) << spec;
    EXPECT_EQ(KindOfTargets(*group), TargetKind::kNone) << spec;
  }
}

TEST(DecodeOperatorGroupTest, ReadsWhatCleanupWantsToSeeAgree) {
  struct Row {
    const char* status;
    std::optional<std::vector<std::string>> synced;
    bool sound = true;
  };
  const Row rows[] = {
      {"null", std::nullopt},
      {R"({"lastUpdated":"2026-01-01T00:00:00Z"})", std::nullopt},
      {R"({"namespaces":[]})", std::nullopt},
      {R"({"namespaces":[""]})", {{""}}},
      {R"({"namespaces":["a","b"]})", {{"a", "b"}}},
      {R"({"namespaces":["a",""]})", std::nullopt, false},
      {R"({"namespaces":["a",1]})", std::nullopt, false},
      {R"({"namespaces":"all"})", std::nullopt, false},
  };
  for (const Row& row : rows) {
    const std::string json = StrCat(
        R"({"metadata":{"name":"g","namespace":"ops","uid":"u"},"status":)", row.status, "}");
    ASSERT_OK_AND_ASSIGN(const OperatorGroupPtr group, DecodeOperatorGroup(json));
    EXPECT_EQ(group->synced, row.synced) << row.status;
    EXPECT_EQ(group->invalid_status.empty(), row.sound) << row.status;
    EXPECT_FALSE(group->deleting);
  }
  ASSERT_OK_AND_ASSIGN(const OperatorGroupPtr group,
                       DecodeOperatorGroup(R"({"metadata":{"name":"g","namespace":"ops","uid":"u",)"
                                           R"("deletionTimestamp":"2026-01-01T00:00:00Z"}})"));
  EXPECT_TRUE(group->deleting);
}

TEST(DecodeNamespaceTest, Terminating) {
  const auto terminating = [](const std::string& more) {
    return (*DecodeNamespace(R"({"metadata":{"name":"n","uid":"u")" + more))->terminating;
  };
  EXPECT_FALSE(terminating(R"(},"status":{"phase":"Active"}})"));
  EXPECT_TRUE(terminating(R"(},"status":{"phase":"Terminating"}})"));
  EXPECT_TRUE(terminating(R"(,"deletionTimestamp":"2026-01-01T00:00:00Z"}})"));
  EXPECT_TRUE(terminating(R"(,"deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{}})"));
}

TEST(DecodeNamespaceTest, IgnoresWhatTheRulesDoNotRead) {
  ASSERT_OK_AND_ASSIGN(
      const NamespacePtr a,
      DecodeNamespace(R"({"metadata":{"name":"n","uid":"u","labels":{"l":"v"},)"
                      R"("annotations":{"x":"1"},"creationTimestamp":"2026-01-01T00:00:00Z"},)"
                      R"("status":{"phase":"Active"}})"));
  ASSERT_OK_AND_ASSIGN(const NamespacePtr b,
                       DecodeNamespace(R"({"metadata":{"name":"n","uid":"u","labels":{"l":"v"},)"
                                       R"("creationTimestamp":"2026-01-01T00:00:00Z",)"
                                       R"("resourceVersion":"8"},"status":{"conditions":[]}})"));
  EXPECT_EQ(*a, *b);
}

TEST(DecodeIconTest, DecodesTheFirst) {
  ASSERT_OK_AND_ASSIGN(const CsvPtr csv, DecodeCsv(kCsv));
  ASSERT_OK_AND_ASSIGN(const Icon icon, DecodeIcon(*csv));
  EXPECT_EQ(icon.media_type, "image/png");
  EXPECT_EQ(icon.bytes, "hi");
}

TEST(DecodeIconTest, Errors) {
  Csv csv;
  csv.spec_json = R"({"icon":[]})";
  EXPECT_THAT(DecodeIcon(csv), StatusIs(absl::StatusCode::kNotFound));
  csv.spec_json = "{}";
  EXPECT_THAT(DecodeIcon(csv), StatusIs(absl::StatusCode::kNotFound));
  csv.spec_json = R"({"icon":[{"base64data":"*"}]})";
  EXPECT_THAT(DecodeIcon(csv), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(DecodeKeyTest, Reads) {
  EXPECT_THAT(DecodeKey(R"({"metadata":{"namespace":"a","name":"b"}})"),
              IsOkAndHolds(kube::NamespacedName{"a", "b"}));
  EXPECT_THAT(DecodeKey("{}"), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace steward::olm
