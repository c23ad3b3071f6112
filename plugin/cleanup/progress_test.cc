#include "plugin/cleanup/progress.h"

#include <gtest/gtest.h>

#include "plugin/cluster/operands.h"

namespace steward::plugin {
namespace {

TEST(ProgressTest, TheTotalIsTheMostThereEverWas) {
  Progress progress;
  OperandCounts counts;
  counts.crds.resize(1);
  counts.crds[0].crd = "widgets.example.com";
  for (const int left : {3, 1, 5, 0}) {
    counts.crds[0].to_delete["a"] = left;
    progress.Add(counts);
  }
  EXPECT_EQ(progress.Summary(), "widgets.example.com 5 of 5 deleted");
}

}  // namespace
}  // namespace steward::plugin
