// What every kube::Client must show its users, as a table of cases: the wording of the contract is
// kube/client/client.h, the standard is a kube-apiserver.
//
// A case states what a kube-apiserver does, and passes there. What another implementation does
// otherwise, and why, is listed (differences.h); nothing else may differ.
#ifndef KUBE_TESTING_CONFORMANCE_CONFORMANCE_H_
#define KUBE_TESTING_CONFORMANCE_CONFORMANCE_H_

#include <string>
#include <vector>

#include "kube/testing/conformance/server.h"

namespace steward::kube::conformance {

class Trial;

enum class Needs { kNothing, kControllers, kBookmarks, kForgetting };

struct Case {
  std::string name;    // "Create.SetsSystemFields"
  std::string source;  // what says so: a page of the API's documentation, a KEP, a source file
  void (*run)(Trial& trial);
  Needs needs = Needs::kNothing;
};

struct Difference {
  std::string name;  // of the case that fails
  std::string why;
};

struct Outcome {
  enum class Kind { kPassed, kFailed, kDiffers, kSkipped };
  Kind kind;
  // kFailed, kDiffers: what was not as it should be. A listed difference that is none is a failure.
  std::vector<std::string> complaints;
  std::string why;  // kDiffers, kSkipped
};

// The table, in the order of the rooms of the API: create, get, list, ...
const std::vector<Case>& AllCases();

// One after the other or in parallel, from any number of processes: what a case makes has names of
// its own, and is deleted again as far as it can be.
Outcome RunCase(const Case& test_case, Server& server, const std::vector<Difference>& differences);

}  // namespace steward::kube::conformance

#endif  // KUBE_TESTING_CONFORMANCE_CONFORMANCE_H_
