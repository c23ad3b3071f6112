// Seeds of tests that try random schedules. Thread-safe.
//
// The fixed seeds are the same in every run. STEWARD_SEED=N begins at N instead, to try fresh ones,
// or with STEWARD_SEEDS=1 to replay a single one.
#ifndef BASE_SEEDS_SEEDS_H_
#define BASE_SEEDS_SEEDS_H_

namespace steward {

struct Seeds {
  unsigned first;
  unsigned count;

  unsigned end() const { return first + count; }
};

// Returns `fixed`, or the seeds that the environment sets: STEWARD_SEED is the first, STEWARD_SEEDS
// the count (else as many as are fixed). Prints them when they are not the fixed ones. Ends the
// program when a variable is no number from 1 on: a test of other seeds than those asked for proves
// nothing.
Seeds SeedsOr(Seeds fixed);

// Returns STEWARD_MODEL_PERCENT of `schedules`, for slow programs; all if it is not set.
unsigned ShareOf(unsigned schedules);

// Returns the step through cases that takes that share of them, for slow programs; 1 if it is not
// set.
unsigned StepOfShare();

}  // namespace steward

#endif  // BASE_SEEDS_SEEDS_H_
