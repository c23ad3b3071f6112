// A folder of saved operands on disk.
#ifndef PLUGIN_SAVE_FOLDER_H_
#define PLUGIN_SAVE_FOLDER_H_

#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "plugin/save_index.h"

namespace steward::plugin {

// Only its owner can read it (0700, files 0600): custom resources can hold secrets. A file is there
// whole or not at all. Not thread-safe.
class SaveFolder {
 public:
  explicit SaveFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  // The folder's index; kNotFound when there is none.
  absl::StatusOr<SaveIndex> ReadIndex() const;

  // Makes the folder ready to save operands of this object, and says so in its index.
  // kFailedPrecondition when it has other things in it.
  absl::Status Begin(const SaveIndex& index);
  // Writes one object's file.
  absl::Status Write(const std::string& saved_path, std::string_view yaml);
  // Everything written is on the disk, and the index says so.
  absl::Status Finish(const SaveIndex& index);

  // The contents of one object's file.
  absl::StatusOr<std::string> Read(const std::string& saved_path) const;

 private:
  absl::Status WriteIndex(const SaveIndex& index);
  absl::Status MakeParents(const std::string& saved_path);

  std::string path_;
  std::set<std::string> made_;  // folders made sure of, to be synced
};

}  // namespace steward::plugin

#endif  // PLUGIN_SAVE_FOLDER_H_
