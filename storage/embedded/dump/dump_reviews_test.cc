#include "storage/embedded/dump/dump_reviews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>

#include "base/async/run.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"

namespace steward::storage {
namespace {

using testing::HasSubstr;

struct Case {
  const char* spec;
  bool allowed;
};

TEST(DumpReviewsTest, ReadsAreAllowedAndWritesAreNot) {
  const Case kCases[] = {
      {R"({"resourceAttributes":{"verb":"get","resource":"pods"}})", true},
      {R"({"resourceAttributes":{"verb":"watch","resource":"pods"}})", true},
      {R"({"resourceAttributes":{"verb":"delete","resource":"pods"}})", false},
      {R"({"resourceAttributes":{"verb":"create","resource":"pods"}})", false},
      {R"({"resourceAttributes":{"verb":"impersonate","resource":"users"}})", false},
      {R"({"resourceAttributes":{"verb":"create","group":"authorization.k8s.io",)"
       R"("resource":"selfsubjectaccessreviews"}})",
       true},
      {R"({"resourceAttributes":{"verb":"create","group":"views.operators.coreos.com",)"
       R"("resource":"planpreviews"}})",
       true},
      {R"({"nonResourceAttributes":{"verb":"get","path":"/healthz"}})", true},
      {R"({"nonResourceAttributes":{"verb":"post","path":"/x"}})", false},
      {"{}", false},
  };
  boost::asio::io_context io{1};
  DumpReviews reviews;
  const kube::GroupVersionResource access = {"authorization.k8s.io", "v1", "subjectaccessreviews"};
  const kube::WriteOptions options;
  for (const Case& each : kCases) {
    const boost::json::value review = {{"spec", boost::json::parse(each.spec)}};
    const auto answer = RunOn(io, reviews.Create(access, "", review, options));
    ASSERT_OK(answer);
    EXPECT_THAT(Serialize(*answer),
                HasSubstr(each.allowed ? R"("status":{"allowed":true})"
                                       : R"("allowed":false,"reason":"this is a dump)"))
        << each.spec;
  }
}

TEST(DumpReviewsTest, NoTokenIsAnybodys) {
  boost::asio::io_context io{1};
  DumpReviews reviews;
  const kube::GroupVersionResource tokens = {"authentication.k8s.io", "v1", "tokenreviews"};
  const kube::WriteOptions options;
  const boost::json::value review = {{"spec", {{"token", "t"}}}};
  const auto answer = RunOn(io, reviews.Create(tokens, "", review, options));
  ASSERT_OK(answer);
  EXPECT_THAT(Serialize(*answer), HasSubstr(R"("authenticated":false)"));
}

}  // namespace
}  // namespace steward::storage
