// The contract that every kube::Client must fulfil, as a table of cases: kube/client/client.h has
// its wording, a kube-apiserver sets the standard. Thread-safe, but a server is used by one thread.
//
// A case states the behaviour of a kube-apiserver, and passes there. Deliberate deviations of
// another implementation are listed with their reasons (differences.h); nothing else may differ.
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
  std::string source;  // the authority: a page of the API's documentation, a KEP, a source file
  void (*run)(Trial& trial);
  Needs needs = Needs::kNothing;
};

struct Difference {
  std::string name;  // the name of the case that differs
  std::string why;
};

struct Outcome {
  enum class Kind { kPassed, kFailed, kDiffers, kSkipped };
  Kind kind;
  // kFailed, kDiffers: the expectations that failed. A listed difference that does not occur is a
  // failure.
  std::vector<std::string> complaints;
  std::string why;  // kDiffers, kSkipped
};

// The whole table, grouped by the operations of the API: create, get, list, ...
const std::vector<Case>& AllCases();

// Runs one case. Cases may run in sequence or in parallel, from any number of processes: the
// objects of a case have unique names, and are deleted again as far as possible.
Outcome RunCase(const Case& test_case, Server& server, const std::vector<Difference>& differences);

}  // namespace steward::kube::conformance

#endif  // KUBE_TESTING_CONFORMANCE_CONFORMANCE_H_
