// The groups of the table of cases, each in a file of its own. Thread-safe.
#ifndef KUBE_TESTING_CONFORMANCE_CASES_H_
#define KUBE_TESTING_CONFORMANCE_CASES_H_

#include <vector>

#include "kube/testing/conformance/conformance.h"

namespace steward::kube::conformance {

std::vector<Case> CreateCases();
std::vector<Case> GetCases();
std::vector<Case> ListCases();
std::vector<Case> SelectorCases();
std::vector<Case> UpdateCases();
std::vector<Case> PatchCases();
std::vector<Case> DryRunCases();
std::vector<Case> SendCheckCases();
std::vector<Case> DeleteCases();
std::vector<Case> WatchCases();
std::vector<Case> WatchStartCases();
std::vector<Case> NamespaceCases();
std::vector<Case> OwnerCases();
std::vector<Case> DefinitionCases();
std::vector<Case> RevisionCases();
std::vector<Case> ContentCases();

}  // namespace steward::kube::conformance

#endif  // KUBE_TESTING_CONFORMANCE_CASES_H_
