#include "base/seeds/seeds.h"

#include <cstdio>
#include <cstdlib>
#include <limits>

#include "absl/strings/numbers.h"

namespace steward {
namespace {

// False if the variable is not set.
bool ReadNumber(const char* variable, unsigned& number) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return false;
  if (!absl::SimpleAtoi(text, &number) || number == 0) {
    std::fprintf(stderr, "%s is no number from 1 on: %s\n", variable, text);
    std::exit(2);
  }
  return true;
}

unsigned Percent() {
  unsigned percent = 100;
  ReadNumber("STEWARD_MODEL_PERCENT", percent);
  return percent;
}

}  // namespace

Seeds SeedsOr(Seeds fixed) {
  Seeds seeds = fixed;
  const bool is_fresh = ReadNumber("STEWARD_SEED", seeds.first);
  const bool is_counted = ReadNumber("STEWARD_SEEDS", seeds.count);
  if (!is_fresh && !is_counted) return fixed;
  // A count beyond the largest seed is not possible.
  if (seeds.count > std::numeric_limits<unsigned>::max() - seeds.first) seeds.count = 1;
  std::printf("STEWARD_SEED=%u STEWARD_SEEDS=%u\n", seeds.first, seeds.count);
  return seeds;
}

unsigned ShareOf(unsigned schedules) { return schedules * Percent() / 100; }

unsigned StepOfShare() { return (100 + Percent() - 1) / Percent(); }

}  // namespace steward
