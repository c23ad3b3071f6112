// A release's payload in a folder. Thread-safe functions.
#ifndef PLUGIN_PAYLOAD_PAYLOAD_FOLDER_H_
#define PLUGIN_PAYLOAD_PAYLOAD_FOLDER_H_

#include <string>

#include "absl/status/statusor.h"
#include "olm/payload/payload.h"

namespace steward::plugin {

// Reads the .yaml, .yml and .json files that lie in `path`/manifests and then in
// `path`/release-manifests, or, where there is neither, in `path` itself, in the order of their
// names' bytes. What cannot be read is among the faults. Misused (plugin/command/exit.h) where
// there is no such folder, or no manifest in it.
absl::StatusOr<olm::Payload> ReadPayloadFolder(const std::string& path);

}  // namespace steward::plugin

#endif  // PLUGIN_PAYLOAD_PAYLOAD_FOLDER_H_
