// Inputs of a verdict that is Allowed, which tests then change. Pure functions.
#ifndef OLM_CLEANUP_TEST_INPUTS_H_
#define OLM_CLEANUP_TEST_INPUTS_H_

#include <string>
#include <utility>
#include <vector>

#include "olm/cleanup/verdict.h"
#include "olm/copy.h"

namespace steward::olm {

// An operator in namespace "ops" that owns widgets.example.com and gadgets.example.com and is being
// deleted; group UID "group-uid", CSV UID "csv-uid". Opted in under the policy of Protected().
inline CsvFacts TestCsv() {
  CsvFacts csv;
  csv.key = {"ops", "widget.v1"};
  csv.uid = "csv-uid";
  csv.resource_version = "7";
  csv.deletion_timestamp = "2026-01-01T00:00:00Z";
  csv.finalizers = {"operators.coreos.com/csv-cleanup", std::string(kCleanupFinalizer)};
  csv.confirmed = "proof";
  csv.phase = "Succeeded";
  csv.reason = "InstallSucceeded";
  csv.cleanup_enabled = true;
  csv.owned_crds = {"gadgets.example.com", "widgets.example.com"};
  csv.deployments = {"widget-operator"};
  return csv;
}

inline CsvFacts OtherCsv(const std::string& ns, const std::string& name) {
  CsvFacts csv;
  csv.key = {ns, name};
  csv.uid = "uid-of-" + ns + "-" + name;
  csv.phase = "Succeeded";
  csv.owned_crds = {"others.example.com"};
  return csv;
}

inline CrdFacts TestCrd(const std::string& plural, const std::string& kind) {
  CrdFacts crd;
  crd.name = plural + ".example.com";
  crd.uid = "uid-of-" + plural;
  crd.group = "example.com";
  crd.plural = plural;
  crd.kind = kind;
  crd.established = true;
  crd.versions = {"v1"};
  return crd;
}

// A group with these spec.targetNamespaces; none = all.
inline GroupFacts TestGroup(std::vector<std::string> targets) {
  GroupFacts group;
  group.group.key = {"ops", "group"};
  group.group.uid = "group-uid";
  group.synced = targets.empty() ? std::vector<std::string>{""} : targets;
  group.group.target_namespaces = std::move(targets);
  return group;
}

inline ProtectionFacts Protected() {
  ProtectionFacts facts;
  facts.opt_in.bound = true;
  facts.opt_in.proof = "proof";
  facts.uninstall.bound = true;
  facts.uninstall.since = absl::InfinitePast();
  return facts;
}

// The targets are "a" and "b".
inline CleanupInputs AllowedInputs() {
  CleanupInputs inputs;
  inputs.csv = Read<CsvFacts>::Ok(TestCsv());
  inputs.csv_definition = Read<CsvDefinitionFacts>::Ok({});
  inputs.install_namespace = Read<InstallNamespaceFacts>::Ok({"ops", false});
  inputs.groups = Read<std::vector<GroupFacts>>::Ok({TestGroup({"a", "b"})});
  inputs.csvs = Read<std::vector<CsvFacts>>::Ok({TestCsv(), OtherCsv("else", "other.v1")});
  inputs.crds["widgets.example.com"] = Read<CrdFacts>::Ok(TestCrd("widgets", "Widget"));
  inputs.crds["gadgets.example.com"] = Read<CrdFacts>::Ok(TestCrd("gadgets", "Gadget"));
  inputs.deployments["widget-operator"] = Read<DeploymentFacts>::Ok({});
  inputs.protection = Read<ProtectionFacts>::Ok(Protected());
  return inputs;
}

}  // namespace steward::olm

#endif  // OLM_CLEANUP_TEST_INPUTS_H_
