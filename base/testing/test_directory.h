// A temporary directory, for tests. Not thread-safe.
#ifndef BASE_TESTING_TEST_DIRECTORY_H_
#define BASE_TESTING_TEST_DIRECTORY_H_

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

namespace steward {

// An empty directory that is removed with this object.
class TestDirectory {
 public:
  TestDirectory() {
    std::string pattern = std::filesystem::temp_directory_path() / "steward-test-XXXXXX";
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

}  // namespace steward

#endif  // BASE_TESTING_TEST_DIRECTORY_H_
