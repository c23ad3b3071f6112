// Chooses faults for the calls of random schedules. Not thread-safe.
#ifndef KUBE_TESTING_TROUBLE_H_
#define KUBE_TESTING_TROUBLE_H_

#include <vector>

#include "absl/status/status.h"
#include "base/seeds/dice.h"
#include "kube/testing/hooks.h"

namespace steward::kube {

// Returns a random fate: the call fails with one of `errors`, its answer is lost, or its process
// dies before or after it. All fates are equally likely.
inline HookedFate AnyTrouble(Dice& dice, const std::vector<absl::Status>& errors) {
  const unsigned which = dice.Draw(static_cast<unsigned>(errors.size()) + 3);
  if (which < errors.size()) return errors[which];
  constexpr HookedFate::Kind kKinds[] = {HookedFate::kLose, HookedFate::kDieBefore,
                                         HookedFate::kDieAfter};
  return kKinds[which - errors.size()];
}

}  // namespace steward::kube

#endif  // KUBE_TESTING_TROUBLE_H_
