#include "controllers/payload/payload_flags.h"

#include <set>

namespace steward::controllers {

payload::PayloadOptions PayloadFlags::Options() const {
  payload::PayloadOptions all = options;
  all.choices.gates = std::set<std::string>(gates.begin(), gates.end());
  all.choices.enabled = std::set<std::string>(capabilities.begin(), capabilities.end());
  all.choices.known = all.choices.enabled;
  all.choices.exclude_id = all.choices.profile;
  if (deletion == "blocking") all.wait_for_deletions = deletion_timeout;
  return all;
}

}  // namespace steward::controllers
