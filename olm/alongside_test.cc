#include "olm/alongside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

using ::testing::ElementsAre;

TEST(AlongsideTest, WhatOneWritesTheOtherReads) {
  const kube::NamespacedName csv = {"ops", "reed.v1"};
  boost::json::object annotations;
  annotations[AlongsideKey(csv)] = AlongsideText(csv);
  annotations["note"] = "a/b";
  for (const char* bad : {"", "/", "a/", "/b", "ab"}) {
    annotations[StrCat(kAlongside, "bad", bad)] = bad;
  }
  annotations[StrCat(kAlongside, "number")] = 1;
  EXPECT_THAT(InstalledAlongside(annotations), ElementsAre(csv));
}

}  // namespace
}  // namespace steward::olm
