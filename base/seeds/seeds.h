// Seeds of tests that try random schedules. Thread-safe.
//
// The fixed ones are the same in every run. STEWARD_SEED=N begins at N instead, which is how fresh
// ones are tried, and with STEWARD_SEEDS=1 how one is replayed.
#ifndef BASE_SEEDS_SEEDS_H_
#define BASE_SEEDS_SEEDS_H_

namespace steward {

struct Seeds {
  unsigned first;
  unsigned count;

  unsigned end() const { return first + count; }
};

// `fixed`, or what the environment says in its place: STEWARD_SEED the first, STEWARD_SEEDS how
// many (else as many as are fixed). Prints which if they are not the fixed ones. Ends the program
// if a variable is no number from 1 on: a test of other seeds than those asked for tells nothing.
Seeds SeedsOr(Seeds fixed);

}  // namespace steward

#endif  // BASE_SEEDS_SEEDS_H_
