// Runs the cases of kube/testing/conformance, which every API server must pass, against the store.
#include <memory>

#include "base/status/matchers.h"
#include "kube/testing/conformance/differences.h"
#include "kube/testing/conformance/gtest_cases.h"
#include "storage/embedded/testing/test_store.h"

namespace steward::storage {
namespace {

namespace conformance = kube::conformance;

EmbeddedClientOptions QuickBookmarks() {
  EmbeddedClientOptions options;
  options.bookmark_period = absl::Milliseconds(200);
  return options;
}

class EmbeddedSubject : public conformance::Subject {
 public:
  EmbeddedSubject() : store_(QuickBookmarks()), server_{store_.client(), store_.io()} {
    store_.StartLifecycle();
    server_.has_controllers = true;
    server_.bookmark_period = QuickBookmarks().bookmark_period;
    server_.forget_the_past = [this] {
      EXPECT_OK(store_.Run(store_.store().Compact(store_.store().revision())));
    };
  }
  conformance::Server& server() override { return server_; }

 private:
  TestStore store_;
  conformance::Server server_;
};

const bool kRegistered = conformance::RegisterConformance(
    "EmbeddedConformance", [] { return std::make_unique<EmbeddedSubject>(); },
    conformance::EmbeddedDifferences());

}  // namespace
}  // namespace steward::storage
