// Random schedules for tests: to play many of them, and to replay one. Not thread-safe.
#ifndef BASE_SEEDS_DICE_H_
#define BASE_SEEDS_DICE_H_

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "base/seeds/seeds.h"

namespace steward {

// The random choices of one schedule. The same seed gives the same choices.
class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}

  unsigned Draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
  bool OneIn(unsigned n) { return Draw(n) == 0; }
  bool Chance(unsigned percent) { return Draw(100) < percent; }
  bool PerMille(unsigned chance) { return Draw(1000) < chance; }
  template <typename T>
  T Any(const std::vector<T>& all) {
    return all[Draw(static_cast<unsigned>(all.size()))];
  }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
};

// Plays the schedule of each seed, and ends at the first that fails. Prints each seed before it is
// played, in case the run breaks off, and with each failure: `variable`=SEED replays it.
void PlaySeeds(Seeds seeds, const std::function<void(unsigned seed)>& play,
               const char* variable = "STEWARD_SEED");

// Simulates the death (kill -9) of a process at each of its writes, before and after the write.
// Calls `play` with `at` = 0, 1, … until it returns false, which means that there is no such write.
// REQUIRES: there are fewer than `most` writes.
void PlayDeaths(int most, const std::function<bool(int at, bool after)>& play);

}  // namespace steward

#endif  // BASE_SEEDS_DICE_H_
