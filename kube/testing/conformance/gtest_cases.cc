#include "kube/testing/conformance/gtest_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace steward::kube::conformance {
namespace {

using SubjectMaker = std::function<std::unique_ptr<Subject>()>;

class CaseTest : public ::testing::Test {
 public:
  CaseTest(Case test_case, SubjectMaker make_subject, std::vector<Difference> differences)
      : case_(std::move(test_case)),
        make_subject_(std::move(make_subject)),
        differences_(std::move(differences)) {}

  void TestBody() override {
    const std::unique_ptr<Subject> subject = make_subject_();
    const Outcome outcome = RunCase(case_, subject->server(), differences_);
    switch (outcome.kind) {
      case Outcome::Kind::kPassed:
        return;
      case Outcome::Kind::kFailed:
        for (const std::string& complaint : outcome.complaints) {
          ADD_FAILURE() << complaint << "\n  by " << case_.source;
        }
        return;
      case Outcome::Kind::kDiffers:
        GTEST_SKIP() << "differs: " << outcome.why;
      case Outcome::Kind::kSkipped:
        GTEST_SKIP() << outcome.why;
    }
  }

 private:
  const Case case_;
  const SubjectMaker make_subject_;
  const std::vector<Difference> differences_;
};

class DifferencesTest : public ::testing::Test {
 public:
  explicit DifferencesTest(std::vector<Difference> differences)
      : differences_(std::move(differences)) {}

  void TestBody() override {
    const std::vector<Case>& cases = AllCases();
    for (const Difference& difference : differences_) {
      const bool known = std::any_of(cases.begin(), cases.end(), [&](const Case& test_case) {
        return test_case.name == difference.name;
      });
      EXPECT_TRUE(known) << difference.name << " is no case";
      EXPECT_NE(difference.why, "") << difference.name;
    }
  }

 private:
  const std::vector<Difference> differences_;
};

}  // namespace

bool RegisterConformance(const std::string& suite, SubjectMaker make_subject,
                         const std::vector<Difference>& differences) {
  for (const Case& test_case : AllCases()) {
    std::string name = test_case.name;
    std::replace(name.begin(), name.end(), '.', '_');
    ::testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [test_case, make_subject, differences]() -> ::testing::Test* {
                              return new CaseTest(test_case, make_subject, differences);
                            });
  }
  ::testing::RegisterTest(
      suite.c_str(), "DifferencesAreOfCases", nullptr, nullptr, __FILE__, __LINE__,
      [differences]() -> ::testing::Test* { return new DifferencesTest(differences); });
  return true;
}

}  // namespace steward::kube::conformance
