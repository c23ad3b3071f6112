// The files of a folder, read once and ready to be sent. Immutable, and so thread-safe.
#ifndef CONSOLE_SERVER_FILE_INDEX_H_
#define CONSOLE_SERVER_FILE_INDEX_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "absl/base/attributes.h"
#include "absl/status/statusor.h"

namespace steward::console {

struct StaticFile {
  std::string content;
  std::string gzip;  // the compressed content; "" if it is no smaller
  std::string_view content_type;
  std::string digest;      // SHA-256 of the content, in hexadecimal
  bool immutable = false;  // its name holds a hash of its content
};

struct FileLimits {
  size_t max_bytes = size_t{64} << 20;  // of all files together
  size_t max_files = 5000;
};

// Reads nothing from the disk after Load, so the path of a request can only find a file of the
// index.
class FileIndex {
 public:
  // Reads every file below `folder`. A symbolic link stands for the file that it leads to. Errors
  // name the folder in one sentence: kNotFound if the folder, or the file `required` in it, does
  // not exist; kFailedPrecondition for a link that leads out of the folder or to a folder, and for
  // an entry that is neither file nor folder; kResourceExhausted beyond the limits.
  static absl::StatusOr<FileIndex> Load(const std::string& folder, std::string_view required,
                                        const FileLimits& limits = {});

  // The file at "/" and its path in the folder, or null.
  const StaticFile* Find(std::string_view path) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  size_t size() const { return files_.size(); }

 private:
  std::map<std::string, StaticFile, std::less<>> files_;
};

// The media type for the extension of `name`; "application/octet-stream" for unknown ones.
std::string_view ContentTypeOf(std::string_view name);

// True if `name` has an extension with a media type of its own. A dot alone does not count, because
// names of operators have dots, too.
bool HasFileExtension(std::string_view name);

// True when a part of the name, between dots and dashes, is a hash: 16 hexadecimal digits or more.
bool HoldsHash(std::string_view name);

}  // namespace steward::console

#endif  // CONSOLE_SERVER_FILE_INDEX_H_
