// An audit log for tests that keeps its lines. Used by one thread at a time.
#ifndef KUBE_AUDIT_TESTING_RECORDED_LOG_H_
#define KUBE_AUDIT_TESTING_RECORDED_LOG_H_

#include <prometheus/registry.h>

#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/audit/log.h"

namespace steward::audit {

class RecordedLog {
 public:
  // A log with the policy that consists of `rules` ("rules: [{level: Request}]") and, if the test
  // wants, further fields of a policy. A policy that does not parse fails the test.
  explicit RecordedLog(std::string_view rules);

  // Null after Lines(), Events() or text() was called.
  Log* get() const { return log_.get(); }

  // The lines written so far. Reading them ends the log, whose own thread writes them.
  std::vector<std::string> Lines();
  // The lines as JSON; a line that is not JSON fails the test.
  std::vector<boost::json::value> Events();
  const std::string& text();

 private:
  prometheus::Registry registry_;
  std::string text_;
  std::unique_ptr<Log> log_;
};

}  // namespace steward::audit

#endif  // KUBE_AUDIT_TESTING_RECORDED_LOG_H_
