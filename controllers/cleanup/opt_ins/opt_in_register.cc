#include "controllers/cleanup/opt_ins/opt_in_register.h"

#include <optional>

#include "olm/cleanup/opt_in.h"

namespace steward::controllers {

OptInState OptInRegister::Judge(const olm::CsvFacts& csv, const olm::PolicyFacts& policy) {
  unconfirmed_.erase(csv.key);
  if (olm::IsConfirmed(csv, policy)) return OptInState::kConfirmed;
  const olm::Sighting seen{csv.uid, revision_};
  if (olm::MayConfirm(csv, policy, sighted_.contains(csv.uid) ? &seen : nullptr)) {
    return OptInState::kMayBeConfirmed;
  }
  unconfirmed_.insert(csv.key);
  return OptInState::kUnconfirmed;
}

void OptInRegister::Note(const olm::CsvFacts& csv, const olm::PolicyFacts& policy, absl::Time now) {
  const std::optional<olm::Sighting> seen = olm::Sight(csv, policy, now);
  if (!seen.has_value()) return;
  if (seen->policy_revision != revision_) {
    revision_ = seen->policy_revision;
    sighted_.clear();
  }
  sighted_.insert(seen->csv_uid);
}

bool OptInRegister::WantsAll(const olm::PolicyFacts& policy, absl::Time now) const {
  return olm::IsSettled(policy, now) && policy.revision != noted_all_;
}

void OptInRegister::NotedAll(const olm::PolicyFacts& policy) { noted_all_ = policy.revision; }

}  // namespace steward::controllers
