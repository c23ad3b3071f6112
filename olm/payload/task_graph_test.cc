#include "olm/payload/task_graph.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_join.h"

namespace steward::olm {
namespace {

// Manifests of these files; one that begins with "job" in its last part is a Job.
std::vector<PayloadManifest> Of(const std::vector<std::string>& files) {
  std::vector<PayloadManifest> manifests;
  for (const std::string& file : files) {
    PayloadManifest manifest;
    manifest.file = file;
    manifest.gvk = {"", "v1", "ConfigMap"};
    if (file.find("_job") != std::string::npos) manifest.gvk = {"batch", "v1", "Job"};
    manifests.push_back(manifest);
  }
  return manifests;
}

// "0 1 → 2 | 3": stages by arrows, nodes by bars.
std::string Text(const TaskGraph& graph) {
  std::vector<std::string> stages;
  for (const TaskStage& stage : graph) {
    std::vector<std::string> nodes;
    for (const TaskNode& node : stage) nodes.push_back(absl::StrJoin(node, " "));
    stages.push_back(absl::StrJoin(nodes, " | "));
  }
  return absl::StrJoin(stages, " > ");
}

TEST(TaskGraphTest, Names) {
  EXPECT_EQ(ReadPayloadName("0000_50_cluster-autoscaler-operator_07_deployment.yaml"),
            (PayloadName{50, "cluster-autoscaler-operator"}));
  EXPECT_EQ(ReadPayloadName("0000_07_a_b.yaml"), (PayloadName{7, "a"}));
  for (const char* other : {"", "a.yaml", "0000_10_retired.yaml", "0000_x_a_b", "0001_10_a_b",
                            "0000_10_-a_b", "0000_10__b", "0000_-1_a_b", "0000_10"}) {
    EXPECT_FALSE(ReadPayloadName(other)) << other;
  }
}

struct GraphCase {
  const char* name;
  std::vector<std::string> files;
  const char* update;
  const char* flat;
};

TEST(TaskGraphTest, R_003_11_12_LevelsAndComponents) {
  for (const GraphCase& tc : std::vector<GraphCase>{
           {"nothing", {}, "", ""},
           {"levels with one component go on in one node",
            {"0000_07_a_1", "0000_07_a_2", "0000_08_b_1"},
            "0 1 2",
            "0 1 | 2"},
           {"components of one level beside each other",
            {"0000_07_a_1", "0000_08_a_1", "0000_09_a_1", "0000_09_b_1", "0000_09_a_2",
             "0000_10_a_1", "0000_11_a_1"},
            "0 1 > 2 4 | 3 > 5 6",
            "0 | 1 | 2 4 | 3 | 5 | 6"},
           {"two parallel levels",
            {"0000_09_a_1", "0000_09_b_1", "0000_10_a_1", "0000_10_b_1"},
            "0 | 1 > 2 | 3",
            "0 | 1 | 2 | 3"},
           {"names of another form are serial",
            {"x", "y", "0000_09_a_1", "z"},
            "0 1 2 3",
            "0 1 | 2 | 3"},
           {"a Job parts everything",
            {"0000_09_a_1", "0000_09_b_1", "0000_09_b_job", "0000_09_c_1", "0000_09_d_1"},
            "0 | 1 > 2 > 3 | 4",
            "0 | 1 > 2 > 3 | 4"},
           {"Jobs at the ends",
            {"0000_01_a_job", "0000_02_a_1", "0000_03_a_job"},
            "0 > 1 > 2",
            "0 > 1 > 2"}}) {
    SCOPED_TRACE(tc.name);
    EXPECT_EQ(Text(UpdateGraph(Of(tc.files))), tc.update);
    EXPECT_EQ(Text(FlatGraph(Of(tc.files))), tc.flat);
  }
}

}  // namespace
}  // namespace steward::olm
