// A temporary directory, for tests. Not thread-safe.
#ifndef STORAGE_EMBEDDED_TESTING_TEST_DIRECTORY_H_
#define STORAGE_EMBEDDED_TESTING_TEST_DIRECTORY_H_

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

namespace steward::storage {

// An empty directory that is removed with this object.
class TestDirectory {
 public:
  TestDirectory() {
    std::string pattern = std::filesystem::temp_directory_path() / "steward-store-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) {
      std::perror("mkdtemp");
      std::abort();
    }
    path_ = pattern;
  }
  ~TestDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_TESTING_TEST_DIRECTORY_H_
