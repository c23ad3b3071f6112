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
  std::string gzip;  // the content compressed; "" where that is no smaller
  std::string_view content_type;
  std::string digest;      // SHA-256 of the content, in hexadecimal
  bool immutable = false;  // its name holds a hash of its content
};

struct FileLimits {
  size_t max_bytes = size_t{64} << 20;  // of all files together
  size_t max_files = 5000;
};

// Nothing on the disk is looked at after Load: a path of a request finds a file of the index, or
// nothing.
class FileIndex {
 public:
  // Reads every file below `folder`. A symbolic link stands for the file that it leads to. Errors,
  // in one sentence that names the folder: kNotFound without the folder, or without the file
  // `required` in it; kFailedPrecondition for a link that leads out of the folder or to another
  // one, and for what is neither file nor folder; kResourceExhausted beyond the limits.
  static absl::StatusOr<FileIndex> Load(const std::string& folder, std::string_view required,
                                        const FileLimits& limits = {});

  // The file at "/" and its path in the folder, or null.
  const StaticFile* Find(std::string_view path) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  size_t size() const { return files_.size(); }

 private:
  std::map<std::string, StaticFile, std::less<>> files_;
};

// The media type by the end of a file's name, and "application/octet-stream" for others.
std::string_view ContentTypeOf(std::string_view name);

// True for the ends of names that have a media type of their own. Names of operators have dots,
// too.
bool HasFileExtension(std::string_view name);

// True when a part of the name, between dots and dashes, is a hash: 16 hexadecimal digits or more.
bool HoldsHash(std::string_view name);

}  // namespace steward::console

#endif  // CONSOLE_SERVER_FILE_INDEX_H_
