// The folder, flags and faults that all commands about a payload have. Not thread-safe.
#ifndef PLUGIN_PAYLOAD_PAYLOAD_SOURCE_H_
#define PLUGIN_PAYLOAD_PAYLOAD_SOURCE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "olm/payload/payload.h"
#include "payload/payload_flags.h"
#include "payload/payload_folder.h"
#include "payload/payload_pass.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"
#include "plugin/terminal/terminal.h"

namespace CLI {
class App;
}

namespace steward::plugin {

// A command that works on a payload with a cluster. Has DIR and the flags that every such command
// has.
class PayloadCommand : public Command {
 public:
  // Commands with more flags extend this.
  void AddFlags(CLI::App& app) override;
  absl::Status Check(const CommonFlags&) const final { return flags_.Check(); }
  // Reads the folder, and then works.
  StatusTask Run(Session& session) final;

 protected:
  payload::PayloadFlags& flags() { return flags_; }
  // Does the command's work. The record is not loaded. REQUIRES: the references outlive the task.
  virtual StatusTask Work(Session& session, const payload::PassDeps& deps,
                          const payload::Release& release,
                          const payload::PayloadOptions& options) = 0;

 private:
  std::string folder_;
  payload::PayloadFlags flags_;
};

// Adds the argument DIR.
void AddDirArgument(CLI::App& app, std::string& folder);

// Fails with Misused if the folder is not a payload.
absl::StatusOr<payload::Release> ReadFolder(const std::string& folder,
                                            const payload::PayloadOptions& options);

// Prints the faults and returns kInvalidArgument, so that no part of the payload is used. OK if
// there are none.
absl::Status RefuseFaults(Session& session, const std::vector<olm::PayloadFault>& faults);

// Prints each finding as `where: severity: what`, and adds it to the document's "findings".
void ShowFindings(Session& session, const std::vector<olm::PayloadFault>& findings,
                  std::string_view severity, Style style);
// Returns the error for a payload with this many faults.
absl::Status Unusable(size_t faults);

}  // namespace steward::plugin

#endif  // PLUGIN_PAYLOAD_PAYLOAD_SOURCE_H_
