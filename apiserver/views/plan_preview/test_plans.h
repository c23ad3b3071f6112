// Makes InstallPlans, definitions and OperatorGroups for the tests of this folder. Pure functions.
#ifndef APISERVER_VIEWS_PLAN_PREVIEW_TEST_PLANS_H_
#define APISERVER_VIEWS_PLAN_PREVIEW_TEST_PLANS_H_

#include <string>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "olm/plan/plan_group.h"
#include "olm/preview/plan_facts.h"

namespace steward::views {

struct TestPlan {
  std::string ns = "ops";
  std::string name = "install-a";
  std::string uid = "0d8a3f2e-5f0c-4a52-9e6f-0c4f5f6b7a81";
  bool approved = true;
  std::string phase = "Installing";
  std::string labels = "";         // JSON, without braces
  std::string status = "Unknown";  // the status of each step
};

// Returns a plan of the operator reed.v1 with two steps: a ServiceAccount, and an optional
// ServiceMonitor.
inline olm::PlanFactsPtr PlanOf(const TestPlan& plan) {
  const auto step = [&plan](const std::string& api_version, const std::string& group,
                            const std::string& kind, bool optional) {
    std::string manifest;
    AppendJsonString(StrCat(R"({"apiVersion":")", api_version, R"(","kind":")", kind,
                            R"(","metadata":{"name":"reed"}})"),
                     manifest);
    return StrCat(R"({"resolving":"reed.v1","status":")", plan.status, R"(","optional":)",
                  optional ? "true" : "false", R"(,"resource":{"group":")", group,
                  R"(","version":"v1","kind":")", kind, R"(","name":"reed","manifest":)", manifest,
                  "}}");
  };
  return *olm::DecodePlan(StrCat(
      R"({"metadata":{"name":")", plan.name, R"(","namespace":")", plan.ns, R"(","uid":")",
      plan.uid, R"(","creationTimestamp":"2026-01-05T00:00:00Z","labels":{)", plan.labels,
      R"(}},"spec":{"approved":)", plan.approved ? "true" : "false",
      R"(,"clusterServiceVersionNames":["reed.v1","rush.v2"]},"status":{"phase":")", plan.phase,
      R"(","plan":[)", step("v1", "", "ServiceAccount", false), ",",
      step("monitoring.coreos.com/v1", "monitoring.coreos.com", "ServiceMonitor", true), "]}}"));
}

// Returns a definition of the kind in the group monitoring.coreos.com.
inline olm::DefinitionFactsPtr DefinitionOf(const std::string& kind, bool established = true) {
  const char* state = established ? "True" : "False";
  return *olm::DecodeDefinition(
      StrCat(R"({"metadata":{"name":")", kind, R"(.monitoring.coreos.com"},"spec":{"group":)",
             R"("monitoring.coreos.com","scope":"Namespaced","names":{"plural":"x","kind":")", kind,
             R"("},"versions":[{"name":"v1","served":true}]},"status":{"conditions":[)",
             R"({"type":"Established","status":")", state,
             R"("},{"type":"NamesAccepted","status":"True"}]}})"));
}

// Returns an OperatorGroup, with a service account if one is named.
inline olm::PlanGroupPtr GroupOf(const std::string& ns, const std::string& name,
                                 const std::string& account = "") {
  return *olm::DecodePlanGroup(StrCat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns,
                                      R"("},"spec":{"serviceAccountName":")", account, R"("}})"));
}

}  // namespace steward::views

#endif  // APISERVER_VIEWS_PLAN_PREVIEW_TEST_PLANS_H_
