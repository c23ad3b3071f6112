// The source of a service's items: a map that is made of a World. Called on one executor.
#ifndef CONTROLLERS_RPC_WORLDS_MAP_SOURCE_H_
#define CONTROLLERS_RPC_WORLDS_MAP_SOURCE_H_

#include <functional>
#include <map>
#include <memory>

#include "kube/meta/names.h"
#include "storage/world/world.h"

namespace steward::rpc {

// `Value` is what the map holds, and `Item` the message that clients get of it.
template <typename Value, typename Item>
struct MapSource {
  using Map = std::map<kube::NamespacedName, std::shared_ptr<const Value>>;
  using MapPtr = std::shared_ptr<const Map>;

  // Makes the map. A pure function of the World's objects. Never returns null.
  std::function<MapPtr(const storage::WorldPtr& world)> of;
  // Writes an item. A pure function: equal values give equal messages.
  std::function<void(const Value& value, Item& out)> write;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_WORLDS_MAP_SOURCE_H_
