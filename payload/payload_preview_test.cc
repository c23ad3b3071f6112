#include "payload/payload_preview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/client/rest_mapper.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "payload/payload_pass.h"
#include "payload/record_store.h"
#include "payload/testing/payload_cluster.h"

namespace steward::payload {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Verb = kube::FakeClient::Verb;

class PayloadPreviewTest : public ::testing::Test {
 protected:
  absl::StatusOr<Preview> Make(const Release& release) {
    const PassDeps deps = {cluster_.client(), mapper_, cluster_.clock(), record_};
    return RunOn(io_, MakePreview(deps, release, options_));
  }
  // Returns a line like "update ConfigMap "n/a" [data.key] (reason) {configmaps=2}" per object.
  std::vector<std::string> Lines(const Release& release) {
    absl::StatusOr<Preview> preview = Make(release);
    EXPECT_OK(preview.status());
    std::vector<std::string> lines;
    if (!preview.ok()) return lines;
    for (const PreviewedObject& each : preview->objects) {
      std::string line = StrCat(std::string(NameOf(each.action)), " ", each.identity.ToString());
      for (const std::string& field : each.fields) StrAppend(&line, " [", field, "]");
      if (!each.reason.empty()) StrAppend(&line, " (", each.reason, ")");
      for (const PreviewedLoss& loss : each.losses) {
        StrAppend(&line, " {", loss.resource, "=", loss.count.value_or(-1), "}");
      }
      lines.push_back(line);
    }
    return lines;
  }
  void Put(const std::string& name) {
    cluster_.Put(kTestConfigMaps, StrCat(R"({"metadata":{"namespace":"n","name":")", name,
                                         R"("},"data":{"key":"old"}})"));
  }

  boost::asio::io_context io_{1};
  PayloadCluster cluster_;
  kube::RestMapper mapper_{cluster_.client(), cluster_.clock()};
  RecordStore record_{cluster_.client(), "steward-system"};
  PayloadOptions options_ = TestOptions();
};

TEST_F(PayloadPreviewTest, SaysWhatAPassDoes) {
  Put("there");
  Put("gone");
  const Release release = TestRelease("4.5.0", {{"a.yaml", TestConfigMap("new", "1")},
                                                {"b.yaml", TestConfigMap("there", "1")},
                                                {"c.yaml", TestDeletion("gone")},
                                                {"d.yaml", TestDeletion("absent")}});
  EXPECT_THAT(Lines(release), ElementsAre("create ConfigMap \"n/new\"",
                                          HasSubstr("update ConfigMap \"n/there\" [data.key]"),
                                          "delete ConfigMap \"n/gone\"",
                                          "unchanged ConfigMap \"n/absent\" (it is not there)"));
  EXPECT_THAT(cluster_.RecordData(), IsEmpty());
  EXPECT_EQ(cluster_.ConfigMap("there").at("data").at("key"), "old");
  EXPECT_FALSE(cluster_.ConfigMap("gone").is_null());
  PayloadProcess process(cluster_);
  EXPECT_TRUE(process.Pass(release, options_)->completed);
  Put("gone");
  EXPECT_THAT(Lines(release),
              ElementsAre("unchanged ConfigMap \"n/new\"", "unchanged ConfigMap \"n/there\"",
                          HasSubstr("kept ConfigMap \"n/gone\" (an object of this name"),
                          "unchanged ConfigMap \"n/absent\" (it is not there)"));
}

TEST_F(PayloadPreviewTest, CountsWhatGoesWithANamespaceOrADefinition) {
  cluster_.Put(kTestNamespaces, R"({"metadata":{"name":"n"}})");
  for (const char* name : {"a", "b", "c"}) Put(name);
  cluster_.Put(kTestWidgets, R"({"metadata":{"namespace":"n","name":"w"}})");
  cluster_.Put(kTestWidgets, R"({"metadata":{"namespace":"m","name":"w"}})");
  cluster_.Put(kTestDefinitions,
               R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com",)"
               R"("names":{"plural":"widgets"},"versions":[{"name":"v1","served":true}]}})");
  const std::string annotations = R"(","annotations":{"release.openshift.io/delete":"true"}}})";
  EXPECT_THAT(
      Lines(TestRelease("4.5.0",
                        {{"a.yaml", StrCat(R"({"apiVersion":"v1","kind":"Namespace","metadata":)",
                                           R"({"name":"n)", annotations)},
                         {"b.yaml", StrCat(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":)",
                                           R"("CustomResourceDefinition","metadata":{"name":)",
                                           R"("widgets.example.com)", annotations)}})),
      ElementsAre("delete Namespace \"n\" {configmaps=3} {widgets.example.com=1}",
                  "delete CustomResourceDefinition.apiextensions.k8s.io \"widgets.example.com\" "
                  "{widgets.example.com=2}"));
}

TEST_F(PayloadPreviewTest, WhatTheServerWouldRefuse) {
  Put("a");
  cluster_.client().FailNext(
      Verb::kPatch, kTestConfigMaps,
      kube::ToStatus(kube::Forbidden(kTestConfigMaps, "a", "a policy says no")));
  EXPECT_THAT(Lines(TestRelease("4.5.0", {{"a.yaml", TestConfigMap("a", "1")}})),
              ElementsAre(HasSubstr("a policy says no")));
  cluster_.client().FailNext(Verb::kGet, kTestConfigMaps, absl::OkStatus(), 1);
  cluster_.client().FailNext(Verb::kGet, kTestConfigMaps, absl::UnavailableError("away"));
  EXPECT_FALSE(Make(TestRelease("4.5.0", {{"a.yaml", TestConfigMap("a", "1")}})).ok());
}

TEST_F(PayloadPreviewTest, KindsThatThePayloadBrings) {
  const std::string definition =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":)"
      R"({"name":"relics.a.b"},"spec":{"group":"a.b","names":{"kind":"Relic","plural":"relics"},)"
      R"("versions":[{"name":"v1","served":true},{"name":"v2","served":false}]}})";
  const std::string relic = R"({"apiVersion":"a.b/v1","kind":"Relic","metadata":{"name":"r"}})";
  EXPECT_THAT(Lines(TestRelease("4.5.0", {{"a.yaml", definition}, {"b.yaml", relic}})),
              ElementsAre("create CustomResourceDefinition.apiextensions.k8s.io \"relics.a.b\"",
                          "create Relic.a.b \"r\" (the payload brings its definition)"));
  EXPECT_THAT(Lines(TestRelease("4.5.0", {{"b.yaml", relic}})),
              ElementsAre(HasSubstr("refused Relic.a.b \"r\" (the API server does not serve")));
  const std::string other = R"({"apiVersion":"a.b/v2","kind":"Relic","metadata":{"name":"r"}})";
  EXPECT_THAT(Lines(TestRelease("4.5.0", {{"a.yaml", definition}, {"b.yaml", other}})),
              ElementsAre(HasSubstr("create CustomResourceDefinition"),
                          HasSubstr("refused Relic.a.b \"r\" (the API server does not serve")));
  EXPECT_THAT(Lines(TestRelease("4.5.0", {{"a.yaml", relic}, {"b.yaml", definition}})),
              ElementsAre("refused Relic.a.b \"r\" (its definition is made later, by b.yaml:1)",
                          HasSubstr("create CustomResourceDefinition")));
}

// The preview refuses an object that apply would refuse because its namespace is missing.
TEST_F(PayloadPreviewTest, NamespacesThatNobodyMakes) {
  const std::string ns = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}})";
  const auto fail = [this] {
    cluster_.client().FailNext(Verb::kPatch, kTestConfigMaps,
                               kube::ToStatus(kube::NotFound(kTestNamespaces, "n")));
  };
  fail();
  EXPECT_THAT(Lines(TestRelease("4.5.0", {{"a.yaml", TestConfigMap("a", "1")}})),
              ElementsAre("refused ConfigMap \"n/a\" (namespaces \"n\" not found)"));
  fail();
  EXPECT_THAT(Lines(TestRelease("4.5.0", {{"a.yaml", ns}, {"b.yaml", TestConfigMap("a", "1")}})),
              ElementsAre("create Namespace \"n\"",
                          "create ConfigMap \"n/a\" (the payload makes its namespace)"));
  fail();
  EXPECT_THAT(Lines(TestRelease("4.5.0", {{"a.yaml", TestConfigMap("a", "1")}, {"b.yaml", ns}})),
              ElementsAre("refused ConfigMap \"n/a\" (its namespace is made later, by b.yaml:1)",
                          "create Namespace \"n\""));
}

// If the payload first changes a definition, the API server's dry run says nothing about objects of
// that kind.
TEST_F(PayloadPreviewTest, ADefinitionThatThePayloadChanges) {
  const auto definition = [](const std::string& more) {
    return StrCat(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)",
                  R"("metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com",)",
                  R"("scope":"Namespaced","names":{"kind":"Widget","plural":"widgets"},)",
                  R"("versions":[{"name":"v1","served":true)", more, "}]}}");
  };
  const std::string widget =
      R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"namespace":"n","name":"w"}})";
  cluster_.Put(kTestDefinitions, definition(""));
  const auto refuse = [this] {
    cluster_.client().FailNext(Verb::kPatch, kTestWidgets,
                               kube::ToStatus(kube::BadRequest("no such value")));
  };
  refuse();
  EXPECT_THAT(
      Lines(TestRelease("4.5.0", {{"a.yaml", definition(R"(,"wider":true)")}, {"b.yaml", widget}})),
      ElementsAre(HasSubstr("update CustomResourceDefinition"),
                  "create Widget.example.com \"n/w\" (the payload changes its definition "
                  "first, so it cannot be tried)"));
  refuse();
  EXPECT_THAT(Lines(TestRelease("4.5.0", {{"b.yaml", widget}})),
              ElementsAre(HasSubstr("refused Widget.example.com \"n/w\" (no such value")));
}

TEST_F(PayloadPreviewTest, FaultsThatTheClusterShows) {
  const std::string ns =
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","annotations":)"
      R"({"release.openshift.io/delete":"true"}}})";
  ASSERT_OK_AND_ASSIGN(
      const Preview preview,
      Make(TestRelease("4.5.0", {{"a.yaml", ns}, {"b.yaml", TestConfigMap("a", "1")}})));
  EXPECT_THAT(preview.objects, IsEmpty());
  ASSERT_EQ(preview.faults.size(), 1);
  EXPECT_THAT(preview.faults[0].what, HasSubstr("in a namespace that a.yaml:1 deletes"));
}

TEST_F(PayloadPreviewTest, CapabilitiesThatNothingSpeaksOf) {
  const std::string of = R"("capability.openshift.io/name":"Build")";
  ASSERT_OK_AND_ASSIGN(const Preview preview,
                       Make(TestRelease("4.5.0", {{"a.yaml", TestConfigMap("a", "1", of)}})));
  EXPECT_EQ(preview.objects.size(), 1);
  EXPECT_THAT(preview.notes, ElementsAre(HasSubstr("Build")));
  options_.choices.capabilities.emplace();
  ASSERT_OK_AND_ASSIGN(const Preview without,
                       Make(TestRelease("4.5.0", {{"a.yaml", TestConfigMap("a", "1", of)}})));
  EXPECT_EQ(without.left_out.size(), 1);
  EXPECT_THAT(without.notes, IsEmpty());
}

TEST_F(PayloadPreviewTest, ManifestsThatAreLeftOut) {
  options_.choices.profile = "p";
  ASSERT_OK_AND_ASSIGN(const Preview preview,
                       Make(TestRelease("4.5.0", {{"a.yaml", TestConfigMap("a", "1")}})));
  EXPECT_THAT(preview.objects, IsEmpty());
  ASSERT_EQ(preview.left_out.size(), 1);
  EXPECT_THAT(preview.left_out[0].what, HasSubstr("n/a"));
}

}  // namespace
}  // namespace steward::payload
