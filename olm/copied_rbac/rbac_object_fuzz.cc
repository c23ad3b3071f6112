// The readers are total, and what is left of rules is never more than what is asked for.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "olm/copied_rbac/policy_rule.h"
#include "olm/copied_rbac/rbac_copy.h"
#include "olm/copied_rbac/rbac_object.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace olm = steward::olm;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto source = olm::ReadRbacSource(json);
  const auto role = olm::ReadRbac(olm::RbacKind::kRole, json);
  const auto binding = olm::ReadRbac(olm::RbacKind::kRoleBinding, json);
  if (!source.ok() || !role.ok() || !binding.ok()) return 0;
  for (const olm::RbacPair& pair : olm::PairsOf(*source, {*role}, {*binding})) {
    for (const auto& [kind, stored] : {std::pair(olm::RbacKind::kRole, &*role),
                                       std::pair(olm::RbacKind::kRoleBinding, &*binding)}) {
      const olm::WantedRbac wanted = olm::CopyOf(pair, kind, "target", {});
      if (olm::Compare(*stored, wanted) == olm::Difference::kNone) std::abort();
    }
  }
  for (const olm::Permission& permission : source->permissions) {
    if (!olm::Covers(permission.rules, olm::Within(role->rules, permission.rules))) std::abort();
  }
  return 0;
}
