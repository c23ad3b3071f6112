#include "kube/client/raw_object.h"

#include <memory>
#include <utility>

namespace steward::kube {

RawObject OwnedRawObject(std::string json) {
  const size_t size = json.size();
  json.resize(size + RawObject::kPadding, '\0');
  auto owner = std::make_shared<const std::string>(std::move(json));
  return {std::string_view(owner->data(), size), owner};
}

}  // namespace steward::kube
