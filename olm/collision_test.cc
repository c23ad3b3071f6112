#include "olm/collision.h"

#include <gtest/gtest.h>

namespace steward::olm {
namespace {

Csv Make(const char* ns, const char* created, const char* uid) {
  Csv csv;
  csv.key = {ns, "x.v1"};
  csv.created = created;
  csv.uid = uid;
  return csv;
}

TEST(CollisionTest, OneAlwaysWins) {
  const Csv own = Make("here", "2026-01-03T00:00:00Z", "9");
  const Csv old = Make("a", "2026-01-01T00:00:00Z", "5");
  const Csv young = Make("b", "2026-01-02T00:00:00Z", "1");
  const Csv twin = Make("c", "2026-01-01T00:00:00Z", "4");
  struct Row {
    const char* name;
    const Csv &winner, &loser;
  };
  const Row rows[] = {
      {"the namespace's own, however young", own, old},
      {"the older", old, young},
      {"of equal age the smaller UID", twin, old},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(WinsIn("here", row.winner, row.loser));
    EXPECT_FALSE(WinsIn("here", row.loser, row.winner));
  }
}

}  // namespace
}  // namespace steward::olm
