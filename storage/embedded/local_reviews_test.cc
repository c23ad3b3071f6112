#include "storage/embedded/local_reviews.h"

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>

#include "base/async/run.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"

namespace steward::storage {
namespace {

using ::testing::HasSubstr;

const kube::GroupVersionResource kTokens = {"authentication.k8s.io", "v1", "tokenreviews"};

class LocalReviewsTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::string> Create(const kube::GroupVersionResource& gvr) {
    const boost::json::value review = {{"spec", {{"token", "t"}}}};
    const kube::WriteOptions options;
    ASSIGN_OR_RETURN(const boost::json::value answer,
                     RunOn(io_, reviews_.Create(gvr, "", review, options)));
    return Serialize(answer);
  }
  boost::asio::io_context io_{1};
  LocalReviews reviews_;
};

TEST_F(LocalReviewsTest, NoTokenIsAnybodys) {
  EXPECT_THAT(Create(kTokens),
              IsOkAndHolds(R"({"spec":{"token":"t"},"status":{"authenticated":false}})"));
}

TEST_F(LocalReviewsTest, NothingIsAllowed) {
  EXPECT_THAT(Create(kube::kSubjectAccessReviews),
              IsOkAndHolds(HasSubstr(R"("status":{"allowed":false,"reason":")")));
}

TEST_F(LocalReviewsTest, NothingElseIsServed) {
  const kube::GroupVersionResource pods = {"", "v1", "pods"};
  EXPECT_THAT(Create(pods), StatusIs(absl::StatusCode::kNotFound));
  const kube::ListOptions all;
  EXPECT_THAT(RunOn(io_, reviews_.List(kTokens, all)), StatusIs(absl::StatusCode::kNotFound));
  const kube::NamespacedName name = {"", "a"};
  EXPECT_THAT(RunOn(io_, reviews_.Get(kube::kSubjectAccessReviews, name)),
              StatusIs(absl::StatusCode::kNotFound));
  const kube::GroupVersion version = kTokens.group_version();
  EXPECT_THAT(RunOn(io_, reviews_.Discover(version)), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(RunOn(io_, reviews_.As({"alice"})->Get(kube::kSubjectAccessReviews, name)),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace steward::storage
