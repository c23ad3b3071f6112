// A reserve: the last eighth of the places that users share. Immutable.
#ifndef BASE_FAIRNESS_RESERVE_H_
#define BASE_FAIRNESS_RESERVE_H_

#include <algorithm>
#include <cstddef>

namespace steward {

// The reserve is for users who hold little: nothing, or less than a 64th of the reserve. So many
// users would have to act together to take everything.
class Reserve {
 public:
  // `all`: the number of shared places. Fewer than eight places have no reserve.
  explicit Reserve(size_t all) : free_(all - all / 8), little_(std::max<size_t>(all / 8 / 64, 1)) {}

  // True when a user who holds `own` places may have one more, while all users together hold
  // `held`. REQUIRES: a place is free.
  bool Allows(size_t held, size_t own) const { return held < free_ || own < little_; }

 private:
  const size_t free_;  // for everybody
  const size_t little_;
};

}  // namespace steward

#endif  // BASE_FAIRNESS_RESERVE_H_
