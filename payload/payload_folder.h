// Reads a release's payload from a folder. Thread-safe functions.
#ifndef PAYLOAD_PAYLOAD_FOLDER_H_
#define PAYLOAD_PAYLOAD_FOLDER_H_

#include <string>

#include "absl/status/statusor.h"
#include "olm/payload/payload.h"
#include "olm/payload/template_fields.h"

namespace steward::payload {

// The content of a payload folder.
struct Release {
  std::string version;  // from the file `release-metadata`; "" = there is no such file
  olm::Payload payload;
};

// Reads the .yaml, .yml and .json files of `path`/manifests and then of `path`/release-manifests,
// or of `path` itself if it has neither folder. Files are sorted by name, byte by byte. Also reads
// `release-metadata` from `path` or `path`/release-manifests. `fields` are filled into the texts.
// Anything that cannot be read or filled in becomes one of the payload's faults. kNotFound: the
// folder does not exist or holds no manifest.
absl::StatusOr<Release> ReadPayloadFolder(const std::string& path,
                                          const olm::TemplateFields& fields);

// Returns a text made of the files' names, sizes and times. It differs after a file was changed,
// added or removed. kNotFound: the folder does not exist.
absl::StatusOr<std::string> PayloadFolderMark(const std::string& path);

}  // namespace steward::payload

#endif  // PAYLOAD_PAYLOAD_FOLDER_H_
