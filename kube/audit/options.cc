#include "kube/audit/options.h"

#include <unistd.h>

#include <cstdint>
#include <utility>

#include "absl/time/time.h"
#include "base/flags/flag_adder.h"
#include "base/lines/descriptor_sink.h"
#include "base/lines/line_sink.h"
#include "base/lines/rotating_file.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/files.h"
#include "kube/audit/policy.h"

namespace steward::audit {
namespace {

constexpr int kDefaultMegabytes = 100;
constexpr int kMaxDays = 36'500;
constexpr int kMaxBackups = 1'000'000;
constexpr int kMaxMegabytes = 1'000'000;

absl::StatusOr<Policy> ReadPolicy(const std::string& file) {
  ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(file));
  absl::StatusOr<Policy> policy = Policy::Parse(text);
  if (!policy.ok()) {
    return absl::InvalidArgumentError(
        StrCat("--audit-policy-file ", file, ": ", ToStd(policy.status().message())));
  }
  if (policy->wants_responses()) {
    log::Warning("Rules of level RequestResponse record as Request does: no response is recorded",
                 {{"file", file}});
  }
  return policy;
}

void WarnNotCompressed(const absl::Status& error) {
  log::Warning("Unable to compress an old audit log file", {{"error", error}});
}

absl::StatusOr<std::unique_ptr<LineSink>> OpenSink(const Options& options, Clock& clock) {
  if (options.log_path == "-") return std::make_unique<DescriptorSink>(STDOUT_FILENO);
  const int megabytes = options.log_max_size > 0 ? options.log_max_size : kDefaultMegabytes;
  const RotationOptions rotation = {.max_bytes = static_cast<uint64_t>(megabytes) << 20,
                                    .max_backups = options.log_max_backup,
                                    .max_age = absl::Hours(24) * options.log_max_age,
                                    .compress = options.log_compress,
                                    .not_compressed = WarnNotCompressed};
  ASSIGN_OR_RETURN(std::unique_ptr<LineSink> file,
                   RotatingFile::Open(options.log_path, rotation, clock));
  return file;
}

}  // namespace

void AddFlags(CLI::App& app, Options& options) {
  FlagAdder flags(app);
  flags.Text("--audit-policy-file", options.policy_file,
             "Which requests are recorded, and how much of them: a Policy of audit.k8s.io/v1");
  flags.Text("--audit-log-path", options.log_path,
             "File for audit events, one line of JSON each; -: standard output; empty: none");
  flags.Number("--audit-log-maxage", options.log_max_age, 0, kMaxDays,
               "Days to keep old audit log files, by the time in their names; 0: any time");
  flags.Number("--audit-log-maxbackup", options.log_max_backup, 0, kMaxBackups,
               "Old audit log files to keep; 0: all");
  flags.Number("--audit-log-maxsize", options.log_max_size, 0, kMaxMegabytes,
               "Megabytes at which the audit log file becomes an old one; 0: 100");
  flags.Switch("--audit-log-compress", options.log_compress,
               "Compress old audit log files with gzip");
}

absl::Status CheckTogether(const Options& options) {
  if (options.log_path.empty() == options.policy_file.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--audit-log-path and --audit-policy-file must be given together");
}

absl::StatusOr<std::unique_ptr<Log>> Open(const Options& options, Clock& clock,
                                          prometheus::Registry& registry) {
  if (options.log_path.empty()) return std::unique_ptr<Log>();
  ASSIGN_OR_RETURN(Policy policy, ReadPolicy(options.policy_file));
  ASSIGN_OR_RETURN(std::unique_ptr<LineSink> sink, OpenSink(options, clock));
  return std::make_unique<Log>(std::move(policy), std::move(sink), registry);
}

}  // namespace steward::audit
