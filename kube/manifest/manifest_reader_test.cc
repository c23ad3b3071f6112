#include "kube/manifest/manifest_reader.h"

#include <boost/asio/io_context.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "kube/manifest/manifest_files.h"

namespace steward::kube {
namespace {

using ::testing::HasSubstr;

constexpr int kFiles = 100;

class ManifestReaderTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
  }
  absl::StatusOr<Manifests> Read(std::vector<std::string> paths) {
    return RunOn(io_, ReadManifests(std::move(paths)));
  }

  TestDirectory directory_;
  boost::asio::io_context io_{1};
};

TEST_F(ManifestReaderTest, EverythingInTheOrderOfTheFiles) {
  std::vector<std::string> paths;
  for (int i = 0; i < kFiles; ++i) {
    const std::string name = "f" + std::to_string(i) + ".yaml";
    // The first files take longest.
    std::string text = "kind: A\nspec:\n";
    for (int line = i; line < kFiles; ++line) text += "- " + std::to_string(line) + "\n";
    Write(name, text + "---\n5\n");
    paths.push_back(Path(name));
  }
  ASSERT_OK_AND_ASSIGN(const Manifests manifests, Read(paths));
  ASSERT_EQ(manifests.objects.size(), paths.size());
  ASSERT_EQ(manifests.problems.size(), paths.size());
  for (size_t i = 0; i < paths.size(); ++i) {
    EXPECT_EQ(manifests.objects[i].where, paths[i] + ":1");
    EXPECT_THAT(manifests.problems[i].where, HasSubstr(paths[i]));
  }
}

TEST_F(ManifestReaderTest, NothingToRead) {
  ASSERT_OK_AND_ASSIGN(const Manifests manifests, Read({}));
  EXPECT_TRUE(manifests.objects.empty());
}

TEST_F(ManifestReaderTest, AFileThatCannotBeReadIsAProblem) {
  Write("good.yaml", "kind: A\n");
  // /proc/self/mem can be opened, but not read.
  ASSERT_OK_AND_ASSIGN(const Manifests manifests, Read({"/proc/self/mem", Path("good.yaml")}));
  EXPECT_EQ(manifests.objects.size(), 1u);
  ASSERT_EQ(manifests.problems.size(), 1u);
  EXPECT_EQ(manifests.problems[0].where, "/proc/self/mem");
  EXPECT_THAT(manifests.problems[0].what, HasSubstr("cannot be read"));
}

TEST_F(ManifestReaderTest, APathThatIsNotThereIsAnError) {
  EXPECT_THAT(Read({Path("nope")}), StatusIs(absl::StatusCode::kNotFound));
}

VoidTask Discard(Task<Manifests> task) { (void)co_await std::move(task); }

TEST_F(ManifestReaderTest, CanBeCancelled) {
  std::vector<std::string> paths;
  for (int i = 0; i < kFiles; ++i) {
    Write(std::to_string(i), "kind: A\n");
    paths.push_back(Path(std::to_string(i)));
  }
  TaskGroup tasks(io_.get_executor());
  tasks.Spawn("read", Discard(ReadManifests(paths)));
  io_.poll_one();
  RunOn(io_, tasks.Stop());
  EXPECT_EQ(tasks.size(), 0u);
}

}  // namespace
}  // namespace steward::kube
