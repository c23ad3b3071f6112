#include "kube/audit/testing/recorded_log.h"

#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/str_split.h"
#include "base/json/json_text.h"
#include "base/lines/string_sink.h"
#include "base/text/str_cat.h"
#include "kube/audit/policy.h"

namespace steward::audit {

RecordedLog::RecordedLog(std::string_view rules) {
  auto policy = Policy::Parse(StrCat("apiVersion: audit.k8s.io/v1\nkind: Policy\n", rules));
  if (!policy.ok()) {
    ADD_FAILURE() << policy.status();
    return;
  }
  log_ = std::make_unique<Log>(*std::move(policy), std::make_unique<StringSink>(text_), registry_);
}

const std::string& RecordedLog::text() {
  log_.reset();
  return text_;
}

std::vector<std::string> RecordedLog::Lines() {
  return absl::StrSplit(text(), '\n', absl::SkipEmpty());
}

std::vector<boost::json::value> RecordedLog::Events() {
  std::vector<boost::json::value> events;
  for (const std::string& line : Lines()) {
    auto event = ParseJson(line);
    if (event.ok()) {
      events.push_back(*std::move(event));
    } else {
      ADD_FAILURE() << event.status() << " in " << line;
    }
  }
  return events;
}

}  // namespace steward::audit
