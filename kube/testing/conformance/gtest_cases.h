// The cases as GoogleTest tests.
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

// A server and all that it lives on.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual Server& server() = 0;
};

// Makes each case a test of `suite`, named after it with "_" for ".", with a subject of its own;
// and one more, that the differences are of cases that there are. What differs or cannot be run is
// reported as skipped. To be called before main, for the value of a variable. Returns true.
bool RegisterConformance(const std::string& suite,
                         std::function<std::unique_ptr<Subject>()> make_subject,
                         const std::vector<Difference>& differences);

}  // namespace steward::kube::conformance

#endif  // KUBE_TESTING_CONFORMANCE_GTEST_CASES_H_
