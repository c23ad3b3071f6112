// Reads the payload that a command works on. Not thread-safe.
#ifndef PLUGIN_PAYLOAD_PAYLOAD_SOURCE_H_
#define PLUGIN_PAYLOAD_PAYLOAD_SOURCE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "olm/payload/payload.h"
#include "payload/payload_flags.h"
#include "payload/payload_folder.h"
#include "payload/payload_pass.h"
#include "plugin/command/session.h"
#include "plugin/terminal/terminal.h"

namespace CLI {
class App;
}

namespace steward::plugin {

// The user's arguments about a payload. AddTo binds DIR and the flags of every command that uses a
// cluster.
struct PayloadSource {
  std::string folder;
  payload::PayloadFlags flags;

  void AddTo(CLI::App& app);
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
