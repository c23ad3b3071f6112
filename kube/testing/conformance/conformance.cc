#include "kube/testing/conformance/conformance.h"

#include <algorithm>
#include <utility>

#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

std::vector<Case> Concatenate(std::vector<std::vector<Case>> rooms) {
  std::vector<Case> all;
  for (std::vector<Case>& room : rooms) {
    all.insert(all.end(), std::make_move_iterator(room.begin()),
               std::make_move_iterator(room.end()));
  }
  return all;
}

// Returns the reason why the case cannot be run; "" = it can.
std::string Lacks(const Server& server, Needs needs) {
  switch (needs) {
    case Needs::kNothing:
      return "";
    case Needs::kControllers:
      return server.has_controllers ? "" : "no controllers run beside the server";
    case Needs::kBookmarks:
      return server.bookmark_period > absl::ZeroDuration() ? ""
                                                           : "bookmarks are too long in coming";
    case Needs::kForgetting:
      return server.forget_the_past ? "" : "the server cannot be made to forget";
  }
  return "";
}

}  // namespace

const std::vector<Case>& AllCases() {
  static const std::vector<Case>& all = *new std::vector<Case>(Concatenate(
      {CreateCases(), GetCases(), ListCases(), SelectorCases(), UpdateCases(), PatchCases(),
       DryRunCases(), SendCheckCases(), DeleteCases(), WatchCases(), WatchStartCases(),
       NamespaceCases(), OwnerCases(), DefinitionCases(), RevisionCases(), ContentCases()}));
  return all;
}

Outcome RunCase(const Case& test_case, Server& server, const std::vector<Difference>& differences) {
  if (std::string why = Lacks(server, test_case.needs); !why.empty()) {
    return {Outcome::Kind::kSkipped, {}, std::move(why)};
  }
  std::vector<std::string> complaints;
  {
    Trial trial(server);
    test_case.run(trial);
    complaints = trial.complaints();
  }
  const auto listed =
      std::find_if(differences.begin(), differences.end(),
                   [&](const Difference& difference) { return difference.name == test_case.name; });
  if (listed == differences.end()) {
    const bool passed = complaints.empty();
    return {passed ? Outcome::Kind::kPassed : Outcome::Kind::kFailed, std::move(complaints), ""};
  }
  if (complaints.empty()) {
    return {Outcome::Kind::kFailed, {"is listed as a difference, and is none: " + listed->why}, ""};
  }
  return {Outcome::Kind::kDiffers, std::move(complaints), listed->why};
}

}  // namespace steward::kube::conformance
