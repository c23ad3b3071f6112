#include "kube/audit/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/status/matchers.h"

namespace steward::audit {
namespace {

using ::testing::HasSubstr;

class StringSink : public LineSink {
 public:
  StringSink(std::string& text, absl::Status answer) : text_(text), answer_(std::move(answer)) {}
  absl::Status Write(std::string_view lines) override {
    if (answer_.ok()) text_ += lines;
    return answer_;
  }

 private:
  std::string& text_;
  const absl::Status answer_;
};

class LogTest : public ::testing::Test {
 protected:
  std::unique_ptr<Log> Make(absl::Status answer = absl::OkStatus(),
                            size_t max_queued_bytes = Log::kMaxQueuedBytes) {
    auto policy = Policy::Parse(
        "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata, verbs: [get]}]");
    EXPECT_OK(policy);
    return std::make_unique<Log>(*std::move(policy),
                                 std::make_unique<StringSink>(text_, std::move(answer)), registry_,
                                 max_queued_bytes);
  }
  std::string Metrics() const {
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  }

  std::string text_;
  prometheus::Registry registry_;
};

TEST_F(LogTest, WritesAndCounts) {
  auto log = Make();
  EXPECT_EQ(log->Decide({.verb = "get"}).level, Level::kMetadata);
  EXPECT_EQ(log->Decide({.verb = "list"}).level, Level::kNone);
  log->Write({.audit_id = "one"});
  log->Write({.audit_id = "two"});
  log.reset();
  EXPECT_THAT(text_, HasSubstr(R"("auditID":"two")"));
  EXPECT_THAT(Metrics(), HasSubstr("apiserver_audit_event_total 2"));
  EXPECT_THAT(Metrics(), HasSubstr(R"(apiserver_audit_level_total{level="Metadata"} 1)"));
  EXPECT_THAT(Metrics(), HasSubstr(R"(apiserver_audit_level_total{level="None"} 1)"));
  EXPECT_THAT(Metrics(), HasSubstr(R"(apiserver_audit_error_total{plugin="buffered"} 0)"));
}

TEST_F(LogTest, CountsWhatIsLost) {
  auto full = Make(absl::OkStatus(), 10);
  full->Write({.audit_id = "dropped"});
  full.reset();
  EXPECT_EQ(text_, "");
  EXPECT_THAT(Metrics(), HasSubstr(R"(apiserver_audit_error_total{plugin="buffered"} 1)"));
  auto broken = Make(absl::ResourceExhaustedError("no space left on device"));
  broken->Write({.audit_id = "lost"});
  broken.reset();
  EXPECT_THAT(Metrics(), HasSubstr(R"(apiserver_audit_error_total{plugin="log"} 1)"));
}

}  // namespace
}  // namespace steward::audit
