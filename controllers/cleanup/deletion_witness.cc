#include "controllers/cleanup/deletion_witness.h"

#include <algorithm>
#include <string_view>

#include "olm/cleanup/names.h"

namespace steward::controllers {
namespace {

using olm::DeletionMode;

bool Has(const kube::ObjectMeta& object, std::string_view finalizer) {
  return std::find(object.finalizers.begin(), object.finalizers.end(), finalizer) !=
         object.finalizers.end();
}

}  // namespace

void DeletionWitness::Note(const kube::NamespacedName& name, const kube::ObjectMeta* csv,
                           bool listed) {
  if (csv == nullptr) {
    seen_.erase(name);
    return;
  }
  const auto [it, is_new] = seen_.try_emplace(name);
  Seen& seen = it->second;
  const bool unbroken = !is_new && seen.uid == csv->uid && !listed;
  if (seen.uid != csv->uid) seen = {csv->uid, std::nullopt};
  if (!csv->deleting) return;
  if (Has(*csv, olm::kOrphanFinalizer)) {
    seen.mode = DeletionMode::kOrphan;
  } else if (Has(*csv, olm::kForegroundFinalizer)) {
    seen.mode = DeletionMode::kForeground;
  } else if (!seen.mode) {
    seen.mode = unbroken ? DeletionMode::kBackground : DeletionMode::kUnseen;
  }
}

DeletionMode DeletionWitness::ModeOf(const kube::NamespacedName& name,
                                     const std::string& uid) const {
  const auto it = seen_.find(name);
  if (it == seen_.end() || it->second.uid != uid) return DeletionMode::kNotShownYet;
  return it->second.mode.value_or(DeletionMode::kNotShownYet);
}

}  // namespace steward::controllers
