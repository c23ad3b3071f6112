// Files for tests. Stateless.
#ifndef CONSOLE_SERVER_TEST_FILES_H_
#define CONSOLE_SERVER_TEST_FILES_H_

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/testing/test_directory.h"

namespace steward::console {

// Writes a file, and the folders above it, at a path relative to the directory.
inline void PutFile(const TestDirectory& directory, const std::string& path,
                    std::string_view content) {
  const std::filesystem::path file = std::filesystem::path(directory.path()) / path;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
}

}  // namespace steward::console

#endif  // CONSOLE_SERVER_TEST_FILES_H_
