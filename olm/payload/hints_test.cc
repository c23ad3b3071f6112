#include "olm/payload/hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "base/text/str_cat.h"
#include "olm/payload/inclusion.h"
#include "olm/payload/payload.h"

namespace steward::olm {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The hints about one ConfigMap, with the inside of its metadata and what stands beside it.
std::vector<std::string> HintsFor(const std::string& metadata, const std::string& beside = "") {
  const Payload payload = ReadPayload(
      {{"a", "a",
        boost::json::parse(StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":)",
                                  R"({"name":"a","namespace":"n")", metadata, "}", beside, "}"))
            .as_object()}});
  EXPECT_THAT(payload.faults, IsEmpty()) << metadata;
  std::vector<std::string> hints;
  for (const PayloadFault& each : HintsOf(payload.manifests, {.profile = "p"})) {
    hints.push_back(each.what);
  }
  return hints;
}

// Case 52: whatever is nearly the annotation.
TEST(HintsTest, WhatIsNearlyTheAnnotation) {
  for (const char* metadata : {R"(,"labels":{"release.openshift.io/delete":"true"})",
                               R"(,"annotations":{"release.openshift.io/Delete":"true"})",
                               R"(,"annotations":{"release.openshift.io/delete ":"true "})",
                               R"(,"annotations":{" RELEASE.openshift.io/delete":"true"})",
                               R"(,"release.openshift.io/delete":"true")"}) {
    const std::vector<std::string> hints = HintsFor(metadata);
    ASSERT_THAT(hints, SizeIs(1)) << metadata;
    EXPECT_THAT(hints[0], HasSubstr("asks for no removal")) << metadata;
  }
  EXPECT_THAT(HintsFor("", R"(,"annotations":{"release.openshift.io/delete":"true"})"), SizeIs(1));
  EXPECT_THAT(
      HintsFor("", R"(,"list":[{"metadata":{"annotations":{"release.openshift.io/delete":""}}}])"),
      SizeIs(1));
  EXPECT_THAT(HintsFor(R"(,"annotations":{"release.openshift.io/deleted":"true"})"), IsEmpty());
  EXPECT_THAT(HintsFor(R"(,"annotations":{"release.openshift.io/delete":"true",)"
                       R"("include.release.openshift.io/p":"true"})"),
              IsEmpty());
}

// Case 46: a deletion that a cluster of the payload takes is meant, whichever cluster that is.
TEST(HintsTest, ADeletionForOneProfileAlone) {
  const std::string deletes = R"("release.openshift.io/delete":"true")";
  EXPECT_THAT(HintsFor(StrCat(R"(,"annotations":{)", deletes, "}")), SizeIs(1));
  EXPECT_THAT(HintsFor(StrCat(R"(,"annotations":{)", deletes,
                              R"(,"include.release.openshift.io/q":"true",)"
                              R"("release.openshift.io/feature-set":"Tech"})")),
              IsEmpty());
  EXPECT_THAT(HintsFor(StrCat(R"(,"annotations":{)", deletes,
                              R"(,"include.release.openshift.io/q":"True"})")),
              SizeIs(1));
}

}  // namespace
}  // namespace steward::olm
