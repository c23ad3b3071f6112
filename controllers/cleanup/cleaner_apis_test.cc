// Tests of operators that serve APIs by themselves (R-000-18).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/guards/resources.h"
#include "controllers/cleanup/testing/cleaner_fixture.h"
#include "controllers/cleanup/testing/cluster.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const kube::GroupVersionResource kThings = {"api.example.com", "v1", "things"};    // namespaced
const kube::GroupVersionResource kGlobals = {"api.example.com", "v1", "globals"};  // cluster

// The store serves them through definitions, which cleanup does not read here.
std::string Kind(const std::string& group, const std::string& plural, const std::string& kind,
                 const std::string& scope) {
  return StrCat(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)",
                R"("metadata":{"name":")", plural, ".", group, R"("},"spec":{"group":")", group,
                R"(","scope":")", scope, R"(","names":{"plural":")", plural, R"(","kind":")", kind,
                R"("},"versions":[{"name":"v1","served":true,"storage":true,"schema":)",
                R"({"openAPIV3Schema":{"type":"object",)",
                R"("x-kubernetes-preserve-unknown-fields":true}}}]}})");
}

class ApisTest : public CleanerTest {
 protected:
  void Begin(ClusterShape shape = {}, bool on = true) {
    CleanerOptions options;
    options.guards.terms.owned_apiservices = on;
    Start(shape, options);
    Create(kCrds, "", Kind("apiregistration.k8s.io", "apiservices", "APIService", "Cluster"));
    Create(kCrds, "", Kind("api.example.com", "things", "Thing", "Namespaced"));
    Create(kCrds, "", Kind("api.example.com", "globals", "Global", "Cluster"));
    AddApiService(R"("service":{"name":"api","namespace":"ops"},)");
    Own("owned", {"things", "globals"});
    for (const char* ns : {"a", "c"}) Create(kThings, ns, Object("Thing", "x"));
    Create(kGlobals, "", Object("Global", "g"));
  }
  void Create(const kube::GroupVersionResource& gvr, const std::string& ns, std::string object) {
    cluster_->Run(cluster_->Create(gvr, ns, std::move(object)));
  }
  static std::string Object(const std::string& kind, const std::string& name) {
    return StrCat(R"({"apiVersion":"api.example.com/v1","kind":")", kind,
                  R"(","metadata":{"name":")", name, R"("}})");
  }
  void AddApiService(const std::string& service, const std::string& owner = "widget.v1") {
    Create(kApiServices, "",
           StrCat(R"({"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":)",
                  R"({"name":"v1.api.example.com","labels":{"olm.owner":")", owner, R"(",)",
                  R"("olm.owner.namespace":"ops","olm.owner.kind":"ClusterServiceVersion"}},)",
                  R"("spec":{)", service, R"("group":"api.example.com","version":"v1"}})"));
  }
  static std::string Apis(const std::string& key, const std::vector<std::string>& plurals,
                          const std::string& group = "api.example.com") {
    std::string list;
    for (const std::string& plural : plurals) {
      StrAppend(&list, list.empty() ? "" : ",", R"({"name":")", plural, R"(","group":")", group,
                R"(","version":"v1","kind":"K"})");
    }
    return StrCat(R"({"apiservicedefinitions":{")", key, R"(":[)", list, "]}}");
  }
  void Own(const std::string& key, const std::vector<std::string>& plurals) {
    Merge(kCsvs, kCsv, StrCat(R"({"spec":)", Apis(key, plurals), "}"));
  }
};

TEST_F(ApisTest, R_000_18_WhatIsInTheTargetsIsDeleted) {
  Begin();
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kThings), ElementsAre("c/x"));
  EXPECT_THAT(cluster_->Names(kGlobals), ElementsAre("g")) << "in no list of namespaces";
}

TEST_F(ApisTest, R_000_18_68_EverythingWhereTheTargetsAreAll) {
  ClusterShape shape;
  shape.targets = {};
  Begin(shape);
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kThings), IsEmpty());
  EXPECT_THAT(cluster_->Names(kGlobals), IsEmpty());
}

TEST_F(ApisTest, R_000_18_NothingWithoutTheFlag) {
  Begin({}, /*on=*/false);
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(kThings), 0);
  EXPECT_EQ(faults_->calls({ClientVerb::kGet, kApiServices}), 0);
}

// An API that is claimed, but served by another operator: its objects are that operator's data.
TEST_F(ApisTest, R_000_79_AnApiOfAnothersServiceIsKept) {
  for (const auto& [service, owner] :
       {std::pair{R"("service":{"name":"api","namespace":"else"},)", "widget.v1"},
        std::pair{R"("service":{"name":"api","namespace":"ops"},)", "other.v1"}}) {
    Begin();
    cluster_->Run(cluster_->Remove(kApiServices, {"", "v1.api.example.com"}));
    AddApiService(service, owner);
    cluster_->DeleteCsv();
    Passes();
    EXPECT_TRUE(Released());
    EXPECT_EQ(Deletes(kThings), 0);
  }
}

TEST_F(ApisTest, R_000_18_IsWaitedFor) {
  Begin();
  Merge(kThings, {"a", "x"}, R"({"metadata":{"finalizers":["example.com/work"]}})");
  cluster_->DeleteCsv();
  Passes(5);
  EXPECT_FALSE(Released());
  EXPECT_THAT(cluster_->Condition("WaitingOnCleanup"), HasSubstr("for 1 CR"));
  Merge(kThings, {"a", "x"}, R"({"metadata":{"finalizers":null}})");
  cluster_->clock().Advance(absl::Minutes(1));
  Passes();
  EXPECT_TRUE(Released());
}

TEST_F(ApisTest, R_000_18_59_61_OthersThatOwnOrRequireIt) {
  for (const char* key : {"owned", "required"}) {
    Begin();
    cluster_->Run(cluster_->AddOtherCsv("c", "other.v1", Apis(key, {"things"})));
    cluster_->DeleteCsv();
    Passes();
    EXPECT_TRUE(Released()) << key;
    EXPECT_EQ(Deletes(kThings), 0) << key;
  }
}

// The API is neither empty nor gone, as its stored objects are unknown.
TEST_F(ApisTest, R_000_18_66_AnApiThatDoesNotAnswer) {
  Begin();
  cluster_->Run(cluster_->Remove(kApiServices, {"", "v1.api.example.com"}));
  cluster_->DeleteCsv();
  Passes(4);
  EXPECT_FALSE(Released());
  EXPECT_THAT(cluster_->Condition("CleanupUnknown"), HasSubstr("APIService v1.api.example.com"));
  AddApiService(R"("service":{"name":"api","namespace":"ops"},)");
  faults_->FailNext({ClientVerb::kList, kThings},
                    kube::ToStatus(kube::ServiceUnavailable("the API server is away", 1)), 1000);
  cluster_->clock().Advance(absl::Minutes(1));
  Passes(4);
  EXPECT_FALSE(Released());
  EXPECT_EQ(Deletes(kThings), 0);
  EXPECT_THAT(cluster_->Condition("CleanupUnknown"), HasSubstr("the API server is away"));
  faults_->ForgetFaults(kThings);
  cluster_->clock().Advance(absl::Minutes(1));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kThings), ElementsAre("c/x"));
}

// The namespace takes the API's Service, and OLM its APIService, before anything was deleted.
TEST_F(ApisTest, R_000_86_AnApiThatGoesWithItsNamespace) {
  Begin();
  cluster_->DeleteCsv();
  cluster_->Run(cluster_->Remove(kNamespaces, {"", "ops"}));
  cluster_->Run(cluster_->Remove(kApiServices, {"", "v1.api.example.com"}));
  Passes(5);
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(kThings), 0);
}

// An API that the kube-apiserver serves itself is not this operator's, whatever its CSV claims.
TEST_F(ApisTest, R_000_18_AnApiOfTheKubeApiserver) {
  Begin();
  cluster_->Run(cluster_->Remove(kApiServices, {"", "v1.api.example.com"}));
  AddApiService("");
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(kThings), 0);
}

// Reviews can only be created.
TEST_F(ApisTest, R_000_18_AnApiThatStoresNothing) {
  Begin();
  faults_->FailNext({ClientVerb::kList, kGlobals}, kube::ToStatus(kube::MethodNotAllowed()), 1000);
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kThings), ElementsAre("c/x"));
}

// A definition can always be listed: there, the same answer proves nothing.
TEST_F(ApisTest, R_000_70_ADefinitionThatCannotBeListed) {
  Begin();
  const kube::GroupVersionResource beta = {"example.com", "v1beta1", "widgets"};
  for (const kube::GroupVersionResource& gvr : {kWidgets, beta}) {
    faults_->FailNext({ClientVerb::kList, gvr}, kube::ToStatus(kube::MethodNotAllowed()), 1000);
  }
  cluster_->DeleteCsv();
  Passes(4);
  EXPECT_FALSE(Released());
}

}  // namespace
}  // namespace steward::controllers
