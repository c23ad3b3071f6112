// The flags of an audit log, named and meant as those of the kube-apiserver.
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
};

// `options` outlives the parsing.
void AddFlags(CLI::App& app, Options& options);

// kInvalidArgument when one of policy and log is given without the other: the kube-apiserver then
// records nothing, and nobody notices.
absl::Status CheckTogether(const Options& options);

// Null when there is no log. Errors name the file. `clock` and `registry` outlive the log.
absl::StatusOr<std::unique_ptr<Log>> Open(const Options& options, Clock& clock,
                                          prometheus::Registry& registry);

}  // namespace steward::audit

#endif  // KUBE_AUDIT_OPTIONS_H_
