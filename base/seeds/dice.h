// Random schedules: what a test needs to play many, and to play one of them again. Not thread-safe.
#ifndef BASE_SEEDS_DICE_H_
#define BASE_SEEDS_DICE_H_

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "base/seeds/seeds.h"

namespace steward {

// The choices of one schedule, which follow from its seed.
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

// Plays the schedule of each seed, and ends at the first that fails. The seed is said beforehand,
// for whoever finds a run that broke off, and with each failure: `variable`=SEED plays it again.
void PlaySeeds(Seeds seeds, const std::function<void(unsigned seed)>& play,
               const char* variable = "STEWARD_SEED");

// Plays a process that ends (kill -9) at its write `at`, before or after it: each of its writes, of
// which there are fewer than `most`. `play` returns whether there was such a write.
void PlayDeaths(int most, const std::function<bool(int at, bool after)>& play);

}  // namespace steward

#endif  // BASE_SEEDS_DICE_H_
