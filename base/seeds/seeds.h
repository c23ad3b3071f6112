// Seeds of tests that try random schedules. Thread-safe.
//
// The fixed seeds are the same in every run. STEWARD_SEED=N begins at N instead: to try fresh
// seeds, or, with STEWARD_SEEDS=1, to replay a single one.
#ifndef BASE_SEEDS_SEEDS_H_
#define BASE_SEEDS_SEEDS_H_

namespace steward {

struct Seeds {
  unsigned first;
  unsigned count;

  unsigned end() const { return first + count; }
};

// Returns `fixed`, or the seeds that the environment sets: STEWARD_SEED is the first, STEWARD_SEEDS
// the count (default: the count of `fixed`). Prints the seeds if the environment sets them. Ends
// the program if a variable is not a number above 0, because a test with other seeds than those
// asked for would prove nothing.
Seeds SeedsOr(Seeds fixed);

// Returns STEWARD_MODEL_PERCENT percent of `schedules`, for slow programs such as those with
// sanitizers; all of them if the variable is not set.
unsigned ShareOf(unsigned schedules);

// Returns n so that every n-th case is about STEWARD_MODEL_PERCENT percent of the cases; 1 if the
// variable is not set.
unsigned StepOfShare();

}  // namespace steward

#endif  // BASE_SEEDS_SEEDS_H_
