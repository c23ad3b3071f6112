// A folder of saved operands on disk. Not thread-safe.
#ifndef PLUGIN_SAVING_SAVE_FOLDER_H_
#define PLUGIN_SAVING_SAVE_FOLDER_H_

#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "plugin/saving/save_index.h"

namespace steward::plugin {

// Only its owner can read it (0700, files 0600), as custom resources can contain secrets. A file is
// complete or absent.
class SaveFolder {
 public:
  explicit SaveFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  // The folder's index; kNotFound when there is none.
  absl::StatusOr<SaveIndex> ReadIndex() const;

  // Prepares the folder for the operands of the ClusterServiceVersion that `index` names. Writes an
  // incomplete index, unless the folder has a complete one of an earlier run. kFailedPrecondition
  // if the folder has other contents.
  absl::Status Begin(const SaveIndex& index);
  // Writes one object's file.
  absl::Status Write(const std::string& saved_path, std::string_view yaml);
  // Returns when every file, and then the complete index, is on the disk.
  absl::Status Finish(const SaveIndex& index);

  // The contents of one object's file.
  absl::StatusOr<std::string> Read(const std::string& saved_path) const;

 private:
  absl::Status WriteIndex(const SaveIndex& index);
  absl::Status MakeParents(const std::string& saved_path);

  std::string path_;
  std::set<std::string> made_;  // known to exist; synced by Finish
};

}  // namespace steward::plugin

#endif  // PLUGIN_SAVING_SAVE_FOLDER_H_
