// The conformance cases as GoogleTest tests. To be used by the main thread, before main.
//
//   const bool kRegistered = RegisterConformance(
//       "EmbeddedConformance", [] { return std::make_unique<MySubject>(); },
//       EmbeddedDifferences());
#ifndef KUBE_TESTING_CONFORMANCE_GTEST_CASES_H_
#define KUBE_TESTING_CONFORMANCE_GTEST_CASES_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/testing/conformance/conformance.h"

namespace steward::kube::conformance {

// Holds a server under test and all that it needs to run.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual Server& server() = 0;
};

// Makes each case a test of `suite`, named after it with "_" for ".", with a subject of its own;
// and adds a test that every listed difference names an existing case. A case that differs or
// cannot be run is reported as skipped. Must be called before main, as the initializer of a
// variable. Returns true.
bool RegisterConformance(const std::string& suite,
                         std::function<std::unique_ptr<Subject>()> make_subject,
                         const std::vector<Difference>& differences);

}  // namespace steward::kube::conformance

#endif  // KUBE_TESTING_CONFORMANCE_GTEST_CASES_H_
