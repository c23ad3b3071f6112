#include "base/seeds/dice.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "base/text/str_cat.h"

namespace steward {

void PlaySeeds(Seeds seeds, const std::function<void(unsigned seed)>& play, const char* variable) {
  for (unsigned seed = seeds.first; seed != seeds.end(); ++seed) {
    const std::string replay = StrCat(variable, "=", seed);
    std::fprintf(stderr, "%s\n", replay.c_str());
    SCOPED_TRACE(replay);
    play(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

void PlayDeaths(int most, const std::function<bool(int at, bool after)>& play) {
  for (const bool after : {false, true}) {
    bool reached = true;
    for (int at = 0; reached; ++at) {
      SCOPED_TRACE(StrCat("a death ", after ? "after" : "before", " write ", at));
      ASSERT_LT(at, most);
      reached = play(at, after);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace steward
