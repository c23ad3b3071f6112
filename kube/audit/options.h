// The flags of an audit log, with the kube-apiserver's names and meanings. Not thread-safe.
#ifndef KUBE_AUDIT_OPTIONS_H_
#define KUBE_AUDIT_OPTIONS_H_

#include <prometheus/registry.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock/clock.h"
#include "kube/audit/log.h"

namespace CLI {
class App;
}

namespace steward::audit {

struct Options {
  std::string policy_file;
  std::string log_path;  // "" = there is no log, "-" = standard output
  int log_max_age = 366;
  int log_max_backup = 100;
  int log_max_size = 100;
  bool log_compress = false;
};

// Adds the flags. `options` outlives the parsing.
void AddFlags(CLI::App& app, Options& options);

// kInvalidArgument when only one of policy and log is given: the kube-apiserver would then silently
// record nothing.
absl::Status CheckTogether(const Options& options);

// Opens the log; null when `options` name no log. Errors name the file. `clock` and `registry`
// outlive the log.
absl::StatusOr<std::unique_ptr<Log>> Open(const Options& options, Clock& clock,
                                          prometheus::Registry& registry);

}  // namespace steward::audit

#endif  // KUBE_AUDIT_OPTIONS_H_
