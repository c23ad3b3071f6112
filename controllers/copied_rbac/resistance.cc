#include "controllers/copied_rbac/resistance.h"

#include <algorithm>

namespace steward::controllers {
namespace {

constexpr absl::Duration kFirstRetry = absl::Seconds(2);
constexpr absl::Duration kLongestRetry = absl::Seconds(30);

}  // namespace

std::optional<absl::Duration> Resistance::DueOf(const std::string& source,
                                                const kube::NamespacedName& object) const {
  const auto of_source = waits_.find(source);
  if (of_source == waits_.end()) return std::nullopt;
  const auto it = of_source->second.find(object);
  if (it == of_source->second.end()) return std::nullopt;
  return it->second.due;
}

bool Resistance::Note(const std::string& source, const kube::NamespacedName& object,
                      absl::Duration* due) {
  const auto [it, first] = waits_[source].try_emplace(object);
  Wait& wait = it->second;
  const absl::Duration now = clock_.Monotonic();
  // A role and its binding may both be noted under one name. The second note changes nothing.
  if (wait.due <= now) {
    wait.length = first ? kFirstRetry : std::min(wait.length * 2, kLongestRetry);
    wait.due = now + wait.length;
  }
  *due = wait.due;
  return first;
}

void Resistance::Keep(const std::string& source, const std::set<kube::NamespacedName>& objects) {
  const auto of_source = waits_.find(source);
  if (of_source == waits_.end()) return;
  std::erase_if(of_source->second,
                [&objects](const auto& entry) { return !objects.contains(entry.first); });
  if (of_source->second.empty()) waits_.erase(of_source);
}

}  // namespace steward::controllers
