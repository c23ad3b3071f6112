#include "storage/plans/plan_outlooks.h"

#include <map>
#include <string>
#include <utility>

#include "olm/plan/plan_group.h"
#include "olm/preview/plan_facts.h"

namespace steward::storage {

bool PlanOutlooks::SameObjects(const PlanWorld& a, const PlanWorld& b) {
  return a.plans().SharesWith(b.plans()) && a.definitions().SharesWith(b.definitions()) &&
         a.groups().SharesWith(b.groups());
}

std::shared_ptr<const PlanOutlooks::Basis> PlanOutlooks::Compute(const PlanWorldPtr& world,
                                                                 const Basis* before) {
  olm::ServedKinds served;
  for (auto it = world->definitions().begin(); !it.done(); it.Next()) served.Add(*it.value());
  std::map<std::string, olm::GroupChooser> groups;
  for (auto it = world->groups().begin(); !it.done(); it.Next()) {
    groups[it.key().ns].Add(*it.value());
  }
  const bool same_rest = before != nullptr &&
                         before->world->definitions().SharesWith(world->definitions()) &&
                         before->world->groups().SharesWith(world->groups());

  auto outlooks = std::make_shared<PlanOutlookMap>();
  const PlanOutlookMap none;
  const PlanOutlookMap& olds = before == nullptr ? none : *before->map;
  auto old = olds.begin();
  bool same = before != nullptr;
  for (auto it = world->plans().begin(); !it.done(); it.Next()) {
    while (old != olds.end() && old->first < it.key()) ++old;
    const bool was_there = old != olds.end() && old->first == it.key();
    std::shared_ptr<const olm::PlanOutlook> outlook = was_there ? old->second : nullptr;
    if (!was_there || !same_rest || outlook->plan != it.value()) {
      olm::PlanOutlook computed =
          olm::PlanOutlook::Of(it.value(), served, groups[it.key().ns].Choose());
      if (!was_there || !(*outlook == computed)) {
        outlook = std::make_shared<const olm::PlanOutlook>(std::move(computed));
        same = false;
      }
    }
    outlooks->emplace_hint(outlooks->end(), it.key(), std::move(outlook));
  }
  same = same && outlooks->size() == olds.size();
  return std::make_shared<const Basis>(
      Basis{world, same ? before->map : PlanOutlookMapPtr(std::move(outlooks))});
}

}  // namespace steward::storage
