#include "olm/payload/task_graph.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace steward::olm {
namespace {

constexpr std::string_view kPrefix = "0000_";

bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Words of letters and digits, joined by single dashes.
bool IsComponent(std::string_view text) {
  if (text.empty() || text.front() == '-' || text.back() == '-') return false;
  char before = ' ';
  for (const char c : text) {
    if (!IsAlnum(c) && (c != '-' || before == '-')) return false;
    before = c;
  }
  return true;
}

bool IsJob(const PayloadManifest& manifest) {
  return manifest.gvk.group == "batch" && manifest.gvk.version == "v1" &&
         manifest.gvk.kind == "Job";
}

// Adjacent manifests of the same level, by component.
struct Level {
  std::optional<int> level;  // nullopt: names of another form
  std::vector<std::pair<std::string, TaskNode>> components;

  bool parallel() const { return components.size() > 1; }
  void Add(const std::string& component, size_t index) {
    const auto found = std::find_if(components.begin(), components.end(),
                                    [&](const auto& each) { return each.first == component; });
    if (found != components.end()) {
      found->second.push_back(index);
    } else {
      components.push_back({component, {index}});
    }
  }
};

// The levels between two Jobs.
using Part = std::vector<Level>;

// Splits the manifests into parts at Jobs. Each Job is a part of its own with one level.
std::vector<Part> PartsOf(const std::vector<PayloadManifest>& manifests) {
  std::vector<Part> parts;
  bool fresh = true;
  for (size_t i = 0; i < manifests.size(); ++i) {
    if (IsJob(manifests[i])) {
      Level job;
      job.Add("", i);
      parts.push_back({std::move(job)});
      fresh = true;
      continue;
    }
    if (fresh) parts.emplace_back();
    fresh = false;
    Part& part = parts.back();
    const std::optional<PayloadName> name = ReadPayloadName(manifests[i].file);
    const std::optional<int> level = name ? std::optional<int>(name->level) : std::nullopt;
    if (part.empty() || part.back().level != level) part.push_back({level, {}});
    part.back().Add(name ? name->component : "", i);
  }
  return parts;
}

void AddOrdered(const Part& part, TaskGraph& graph) {
  bool serial = false;  // the last stage of this part is one node, which can be extended
  for (const Level& level : part) {
    if (level.parallel()) {
      TaskStage stage;
      for (const auto& [component, node] : level.components) stage.push_back(node);
      graph.push_back(std::move(stage));
      serial = false;
      continue;
    }
    const TaskNode& node = level.components.front().second;
    if (!serial) graph.push_back({TaskNode()});
    TaskNode& last = graph.back().front();
    last.insert(last.end(), node.begin(), node.end());
    serial = true;
  }
}

}  // namespace

std::optional<PayloadName> ReadPayloadName(std::string_view file) {
  if (!file.starts_with(kPrefix)) return std::nullopt;
  file.remove_prefix(kPrefix.size());
  PayloadName name;
  const auto [end, error] = std::from_chars(file.data(), file.data() + file.size(), name.level);
  const auto digits = static_cast<size_t>(end - file.data());
  if (error != std::errc() || file.front() == '-' || file.substr(digits, 1) != "_") {
    return std::nullopt;
  }
  file.remove_prefix(digits + 1);
  const size_t behind = file.find('_');
  if (behind == std::string_view::npos || !IsComponent(file.substr(0, behind))) {
    return std::nullopt;
  }
  name.component = file.substr(0, behind);
  return name;
}

TaskGraph UpdateGraph(const std::vector<PayloadManifest>& manifests) {
  TaskGraph graph;
  for (const Part& part : PartsOf(manifests)) AddOrdered(part, graph);
  return graph;
}

TaskGraph FlatGraph(const std::vector<PayloadManifest>& manifests) {
  TaskGraph graph;
  for (const Part& part : PartsOf(manifests)) {
    TaskStage stage;
    for (const Level& level : part) {
      for (const auto& [component, node] : level.components) stage.push_back(node);
    }
    graph.push_back(std::move(stage));
  }
  return graph;
}

}  // namespace steward::olm
