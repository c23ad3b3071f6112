// A release's payload in a folder. Thread-safe functions.
#ifndef PAYLOAD_PAYLOAD_FOLDER_H_
#define PAYLOAD_PAYLOAD_FOLDER_H_

#include <string>

#include "absl/status/statusor.h"
#include "olm/payload/payload.h"
#include "olm/payload/template_fields.h"

namespace steward::payload {

// What lies in a folder.
struct Release {
  std::string version;  // of the file `release-metadata`; "" = there is none
  olm::Payload payload;
};

// Reads the .yaml, .yml and .json files that lie in `path`/manifests and then in
// `path`/release-manifests, or, where there is neither, in `path` itself, in the order of their
// names' bytes; and `release-metadata` of `path` or of `path`/release-manifests. `fields` are
// filled into their texts. What cannot be read or filled in is among the payload's faults.
// kNotFound where there is no such folder, or no manifest in it.
absl::StatusOr<Release> ReadPayloadFolder(const std::string& path,
                                          const olm::TemplateFields& fields);

// A text that differs once a file of the folder was changed, added or taken away: their names,
// sizes and times. kNotFound where there is no such folder.
absl::StatusOr<std::string> PayloadFolderMark(const std::string& path);

}  // namespace steward::payload

#endif  // PAYLOAD_PAYLOAD_FOLDER_H_
