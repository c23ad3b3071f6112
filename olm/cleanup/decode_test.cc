#include "olm/cleanup/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/time.h"
#include "olm/cleanup/facts.h"

namespace steward::olm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kMetadata[] = R"("metadata":{"name":"w","namespace":"ops","uid":"u"})";

TEST(DecodeTest, Csv) {
  const absl::StatusOr<CsvFacts> csv = DecodeCsvFacts(R"({
    "metadata":{"name":"w","namespace":"ops","uid":"u","resourceVersion":"12",
      "deletionTimestamp":"2026-01-01T00:00:00Z",
      "finalizers":["operatorframework.io/delete-custom-resources","x"],
      "labels":{"olm.copiedFrom":""},
      "ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"m","uid":"x"},{}],
      "annotations":{"olm.operatorNamespace":"from",
        "steward.operatorframework.io/cleanup-record":"R",
        "steward.operatorframework.io/cleanup-refused":"",
        "console.openshift.io/disable-operand-delete":"true"}},
    "spec":{"cleanup":{"enabled":true},"replaces":"v0",
      "customresourcedefinitions":{
        "owned":[{"name":"a.g.io","version":"v1"},{"name":"a.g.io","version":"v2"},
                 {"name":"b.g.io"}],
        "required":[{"name":"c.g.io"}]},
      "install":{"strategy":"deployment","spec":{"deployments":[{"name":"d1"},{"name":"d2"}]}}},
    "status":{"phase":"Succeeded","reason":"InstallSucceeded"}})");
  ASSERT_OK(csv.status());
  EXPECT_EQ(csv->key, (kube::NamespacedName{"ops", "w"}));
  EXPECT_EQ(csv->resource_version, "12");
  EXPECT_TRUE(csv->deleting());
  EXPECT_TRUE(csv->OptedIn());
  EXPECT_TRUE(csv->MayBeCopy());
  EXPECT_EQ(csv->record, "R");
  EXPECT_EQ(csv->refusal, "");
  EXPECT_EQ(csv->opt_out, "true");
  EXPECT_THAT(csv->owners, ElementsAre("ConfigMap m", " "));
  EXPECT_EQ(csv->replaces, "v0");
  EXPECT_THAT(csv->owned_crds, ElementsAre("a.g.io", "b.g.io"));
  EXPECT_THAT(csv->required_crds, ElementsAre("c.g.io"));
  EXPECT_THAT(csv->deployments, ElementsAre("d1", "d2"));
  EXPECT_EQ(csv->malformed, "");
}

// A label, because OLM copies annotations into the operator's pods (R-000-73).
TEST(DecodeTest, R_000_76_AConfirmationIsALabel) {
  const std::string confirmed = R"({"steward.operatorframework.io/opt-in-confirmed":"policy"})";
  const struct {
    std::string metadata;
    std::optional<std::string> confirmed;
  } rows[] = {
      {R"("labels":)" + confirmed, "policy"},
      {R"("annotations":)" + confirmed, std::nullopt},
      {R"("labels":{"steward.operatorframework.io/opt-in-confirmed":1})", std::nullopt},
      {R"("labels":{})", std::nullopt},
      {R"("labels":null)", std::nullopt},
  };
  for (const auto& row : rows) {
    const absl::StatusOr<CsvFacts> csv = DecodeCsvFacts(
        R"({"metadata":{"name":"w","namespace":"ops","uid":"u",)" + row.metadata + "}}");
    ASSERT_OK(csv.status());
    EXPECT_EQ(csv->confirmed, row.confirmed) << row.metadata;
  }
}

// The record must fit in beside them. Kubernetes counts the bytes of texts, not those of JSON.
TEST(DecodeTest, R_000_62_AllAnnotationsExceptTheRecordAreCounted) {
  const struct {
    const char* annotations;
    size_t bytes;
  } rows[] = {
      {"null", 0},
      {"{}", 0},
      {R"({"a":"","bc":"def"})", 6},
      {R"({"a":"\"\n\u00e4","b":7})", 5},
      {R"({"steward.operatorframework.io/cleanup-record":"R","a":"b"})", 2},
      {R"({"steward.operatorframework.io/cleanup-refused":"R"})", 45},
  };
  for (const auto& row : rows) {
    const absl::StatusOr<CsvFacts> csv =
        DecodeCsvFacts(StrCat(R"({"metadata":{"name":"w","namespace":"ops","uid":"u",)",
                              R"("annotations":)", row.annotations, "}}"));
    ASSERT_OK(csv.status());
    EXPECT_EQ(csv->other_annotations, row.bytes) << row.annotations;
  }
}

TEST(DecodeTest, R_000_77_TheDefinitionOfCsvs) {
  const absl::Time created = absl::FromUnixSeconds(1'800'000'000);
  const std::string text = StrCat(R"({"metadata":{"name":"w.g.io","uid":"u","creationTimestamp":")",
                                  kube::FormatRfc3339(created), "\"");
  const absl::StatusOr<CsvDefinitionFacts> there = DecodeCsvDefinition(StrCat(text, "}}"));
  ASSERT_OK(there.status());
  EXPECT_EQ(*there, (CsvDefinitionFacts{"w.g.io", false, created}));
  const absl::StatusOr<CsvDefinitionFacts> going =
      DecodeCsvDefinition(StrCat(text, R"(,"deletionTimestamp":"2027-01-15T08:00:01Z"}})"));
  ASSERT_OK(going.status());
  EXPECT_TRUE(going->terminating);
  for (const char* bad : {R"({"metadata":{"name":"w.g.io","uid":"u"}})",
                          R"({"metadata":{"name":"w","uid":"u","creationTimestamp":"soon"}})",
                          R"({"metadata":{"uid":"u"}})", "{}", "[]", ""}) {
    EXPECT_FALSE(DecodeCsvDefinition(bad).ok()) << bad;
  }
}

TEST(DecodeTest, R_000_20_WhatACsvSaysOfCleanup) {
  const struct {
    const char* spec;
    bool enabled;
    bool by_default;
  } rows[] = {
      {R"({"cleanup":{"enabled":true}})", true, true},
      {R"({"cleanup":{"enabled":false}})", false, false},
      {R"({"cleanup":{"enabled":null}})", false, true},
      {R"({"cleanup":{}})", false, true},
      {R"({"cleanup":null})", false, true},
      {R"({})", false, true},
      {"null", false, true},
      // A value that cannot be understood is no consent.
      {R"({"cleanup":{"enabled":"true"}})", false, false},
      {R"({"cleanup":{"enabled":1}})", false, false},
      {R"({"cleanup":true})", false, false},
      {R"({"cleanup":[]})", false, false},
  };
  for (const auto& row : rows) {
    const std::string text = std::string("{") + kMetadata + R"(,"spec":)" + row.spec + "}";
    absl::StatusOr<CsvFacts> csv = DecodeCsvFacts(text);
    ASSERT_OK(csv.status());
    EXPECT_EQ(csv->cleanup_enabled, row.enabled) << row.spec;
    csv = DecodeCsvFacts(text, {.supported_by_default = true});
    ASSERT_OK(csv.status());
    EXPECT_EQ(csv->cleanup_enabled, row.by_default) << row.spec;
  }
}

TEST(DecodeTest, R_000_18_OwnedApis) {
  const std::string text = std::string("{") + kMetadata + R"(,"spec":{
    "customresourcedefinitions":{"owned":[{"name":"a.g.io"}],"required":[{"name":"r.g.io"}]},
    "apiservicedefinitions":{
      "owned":[{"name":"b","group":"api.g.io","version":"v1","kind":"B"},
               {"name":"b","group":"api.g.io","version":"v2","kind":"B"},
               {"name":"nodes","group":"metrics.k8s.io","version":"v1","kind":"N"},
               {"name":"deployments","group":"apps","version":"v1","kind":"D"},
               {"name":"o","group":"views.operators.coreos.com","version":"v1","kind":"I"}],
      "required":[{"name":"c","group":"api.h.io","version":"v1","kind":"C"}]}}})";
  absl::StatusOr<CsvFacts> csv = DecodeCsvFacts(text, {.owned_apiservices = true});
  ASSERT_OK(csv.status());
  EXPECT_THAT(csv->owned_crds, ElementsAre("a.g.io", "b.api.g.io"));
  EXPECT_THAT(csv->required_crds, ElementsAre("c.api.h.io", "r.g.io"));
  ASSERT_EQ(csv->owned_apis.size(), 1u) << "nothing of Kubernetes', OLM's or Steward's";
  EXPECT_EQ(csv->owned_apis.at("b.api.g.io"), (OwnedApi{"api.g.io", "b", "B", {"v1", "v2"}}));
  EXPECT_EQ(csv->malformed, "");
  // With the feature off, no APIs are read.
  csv = DecodeCsvFacts(text);
  ASSERT_OK(csv.status());
  EXPECT_THAT(csv->owned_crds, ElementsAre("a.g.io"));
  EXPECT_THAT(csv->required_crds, ElementsAre("r.g.io"));
  EXPECT_THAT(csv->owned_apis, IsEmpty());
}

TEST(DecodeTest, R_000_18_ApisThatCannotBeUnderstood) {
  for (
      const char* spec :
      {R"({"apiservicedefinitions":{"owned":{}}})", R"({"apiservicedefinitions":{"owned":[7]}})",
       R"({"apiservicedefinitions":{"owned":[{"name":"b","group":"g.io","version":"v1"}]}})",
       R"({"apiservicedefinitions":{"owned":[{"name":"b/c","group":"g.io","version":"v1","kind":"B"}]}})",
       R"({"apiservicedefinitions":{"owned":[{"name":"b","group":"","version":"v1","kind":"B"}]}})",
       R"({"apiservicedefinitions":{"owned":[{"name":"b","group":"g.io","version":"","kind":"B"}]}})",
       R"({"apiservicedefinitions":{"owned":[{"name":"b","group":"g.io","version":"v1","kind":"B"}]},
            "customresourcedefinitions":{"owned":[{"name":"b.g.io"}]}})"}) {
    const std::string text = std::string("{") + kMetadata + R"(,"spec":)" + spec + "}";
    const absl::StatusOr<CsvFacts> csv = DecodeCsvFacts(text, {.owned_apiservices = true});
    ASSERT_OK(csv.status());
    EXPECT_NE(csv->malformed, "") << spec;
  }
}

TEST(DecodeTest, ApiService) {
  const char* metadata = R"("metadata":{"name":"v1.g.io","uid":"u"})";
  const auto decode = [metadata](const std::string& spec) {
    return DecodeApiServiceFacts(std::string("{") + metadata + spec + "}");
  };
  EXPECT_TRUE(decode(R"(,"spec":{"service":{"name":"s"}})")->elsewhere);
  EXPECT_FALSE(decode(R"(,"spec":{"service":null})")->elsewhere);
  EXPECT_FALSE(decode(R"(,"spec":{})")->elsewhere);
  EXPECT_FALSE(decode("").ok());
}

TEST(DecodeTest, CsvWithoutAnything) {
  const absl::StatusOr<CsvFacts> csv = DecodeCsvFacts(std::string("{") + kMetadata + "}");
  ASSERT_OK(csv.status());
  EXPECT_FALSE(csv->deleting());
  EXPECT_FALSE(csv->cleanup_enabled);
  EXPECT_THAT(csv->owned_crds, IsEmpty());
}

TEST(DecodeTest, SpecsThatCannotBeUnderstood) {
  for (const char* spec : {R"({"customresourcedefinitions":{"owned":{"name":"a.g.io"}}})",
                           R"({"customresourcedefinitions":{"owned":[{"kind":"A"}]}})",
                           R"({"customresourcedefinitions":{"owned":["a.g.io"]}})",
                           R"({"customresourcedefinitions":{"owned":[{"name":"nodot"}]}})",
                           R"({"customresourcedefinitions":{"owned":[{"name":"../x.y"}]}})",
                           R"({"customresourcedefinitions":{"required":[{"name":7}]}})",
                           R"({"install":{"spec":{"deployments":[{"spec":{}}]}}})",
                           R"({"install":{"spec":{"deployments":"d"}}})"}) {
    const absl::StatusOr<CsvFacts> csv =
        DecodeCsvFacts(std::string("{") + kMetadata + R"(,"spec":)" + spec + "}");
    ASSERT_OK(csv.status());
    EXPECT_NE(csv->malformed, "") << spec;
  }
}

TEST(DecodeTest, WhatIsNoObject) {
  for (const char* text :
       {"", "[]", "{}", R"({"metadata":{"name":"w"}})", R"({"metadata":{"uid":"u"}})",
        R"({"metadata":{"name":"w","uid":"u","deletionTimestamp":7}})", "{"}) {
    EXPECT_FALSE(DecodeObjectFacts(text).ok()) << text;
    EXPECT_FALSE(DecodeCsvFacts(text).ok()) << text;
    EXPECT_FALSE(DecodeCrdFacts(text).ok()) << text;
    EXPECT_FALSE(DecodeOperatorGroupFacts(text).ok()) << text;
    EXPECT_FALSE(DecodeInstallNamespace(text).ok()) << text;
    EXPECT_FALSE(DecodeDeploymentFacts(text).ok()) << text;
  }
}

TEST(DecodeTest, InstallNamespace) {
  const auto decoded = [](const std::string& more) {
    return DecodeInstallNamespace(R"({"metadata":{"name":"n","uid":"u")" + more);
  };
  const auto terminating = [&decoded](const std::string& more) {
    return decoded(R"(,"creationTimestamp":"2026-01-01T00:00:07Z")" + more)->terminating;
  };
  EXPECT_EQ(decoded(R"(,"creationTimestamp":"2026-01-01T00:00:07Z"}})")->created,
            absl::FromCivil(absl::CivilSecond(2026, 1, 1, 0, 0, 7), absl::UTCTimeZone()));
  EXPECT_FALSE(decoded("}}").ok()) << "by when it was made it is decided what it is";
  EXPECT_FALSE(terminating(R"(},"status":{"phase":"Active"}})"));
  EXPECT_TRUE(terminating(R"(},"status":{"phase":"Terminating"}})"));
  EXPECT_TRUE(terminating(R"(,"deletionTimestamp":"2026-01-01T00:00:00Z"}})"));
}

TEST(DecodeTest, GroupCreation) {
  const auto created = [](const std::string& more) {
    return DecodeOperatorGroupFacts(R"({"metadata":{"name":"g","namespace":"n","uid":"u")" + more +
                                    "},\"spec\":{}}")
        ->created;
  };
  EXPECT_EQ(created(R"(,"creationTimestamp":"2026-01-01T00:00:07Z")"),
            absl::FromCivil(absl::CivilSecond(2026, 1, 1, 0, 0, 7), absl::UTCTimeZone()));
  EXPECT_EQ(created(""), absl::InfiniteFuture()) << "it may be new";
}

TEST(DecodeTest, GroupStatus) {
  const auto group = [](const std::string& status) {
    return DecodeOperatorGroupFacts(std::string("{") + kMetadata + R"(,"spec":{},"status":)" +
                                    status + "}");
  };
  EXPECT_EQ(group("{}")->synced, std::nullopt);
  EXPECT_EQ(group(R"({"namespaces":[]})")->synced, std::nullopt);
  EXPECT_THAT(*group(R"({"namespaces":[""]})")->synced, ElementsAre(""));
  EXPECT_THAT(*group(R"({"namespaces":["a","b"]})")->synced, ElementsAre("a", "b"));
  // The verdict says that it cannot be read.
  EXPECT_NE(group(R"({"namespaces":["a",""]})")->group.invalid_status, "");
  EXPECT_NE(group(R"({"namespaces":["a",1]})")->group.invalid_status, "");
}

std::string Crd(const std::string& scope, const std::string& more) {
  return R"({"metadata":{"name":"ws.g.io","uid":"u"},"spec":{"group":"g.io","scope":")" + scope +
         R"(","names":{"plural":"ws","kind":"W"},"versions":[)"
         R"({"name":"v1","served":true,"storage":false},{"name":"v2","served":true,"storage":true},)"
         R"({"name":"v3","served":false,"storage":false},{"name":"v4","served":true}]})" +
         more + "}";
}

TEST(DecodeTest, R_000_79_UnmanagedAndReservedDefinitionsAreKept) {
  const auto kept = [](const std::string& group, const std::string& labels) {
    return DecodeCrdFacts(R"({"metadata":{"name":"ws.)" + group + R"(","uid":"u","labels":)" +
                          labels + R"(},"spec":{"group":")" + group +
                          R"(","scope":"Cluster","names":{"plural":"ws","kind":"W"}}})")
        ->kept;
  };
  EXPECT_EQ(kept("g.io", "{}"), kUnmanaged);
  EXPECT_EQ(kept("g.io", R"({"olm.managed":"true"})"), "");
  EXPECT_EQ(kept("g.io", R"({"olm.owner":"packageserver"})"), "");
  EXPECT_EQ(kept("some.openshift.io", R"({"olm.managed":"true"})"), "");
  for (const char* group : {"snapshot.storage.k8s.io", "k8s.io", "x.kubernetes.io", "batch",
                            "operators.coreos.com", "steward.operatorframework.io"}) {
    EXPECT_EQ(kept(group, R"({"olm.managed":"true"})"), kReservedGroup) << group;
  }
  for (const char* group : {"ak8s.io", "k8s.io.example.com", "my-operatorframework.io"}) {
    EXPECT_EQ(kept(group, R"({"olm.managed":"true"})"), "") << group;
  }
}

TEST(DecodeTest, Crds) {
  const absl::StatusOr<CrdFacts> crd = DecodeCrdFacts(
      Crd("Namespaced", R"(,"status":{"conditions":[{"type":"Established","status":"True"}]})"));
  ASSERT_OK(crd.status());
  EXPECT_THAT(crd->versions, ElementsAre("v2", "v1", "v4"));
  EXPECT_TRUE(crd->established);
  EXPECT_FALSE(crd->cluster_scoped);
  EXPECT_TRUE(DecodeCrdFacts(Crd("Cluster", ""))->cluster_scoped);
  EXPECT_FALSE(DecodeCrdFacts(Crd("Cluster", ""))->established);
  EXPECT_FALSE(DecodeCrdFacts(Crd("Galactic", "")).ok());
  EXPECT_FALSE(DecodeCrdFacts(R"({"metadata":{"name":"xs.g.io","uid":"u"},"spec":{"group":"g.io",)"
                              R"("scope":"Cluster","names":{"plural":"ws","kind":"W"}}})")
                   .ok());
}

TEST(DecodeTest, Deployments) {
  const auto deleting = [](const std::string& more) {
    return DecodeDeploymentFacts(R"({"metadata":{"name":"d","namespace":"ops","uid":"u")" + more +
                                 "}}")
        ->deleting;
  };
  EXPECT_FALSE(deleting(""));
  EXPECT_TRUE(deleting(R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"));
  EXPECT_FALSE(DecodeDeploymentFacts("[]").ok());
}

}  // namespace
}  // namespace steward::olm
