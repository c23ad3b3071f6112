// Values of flags by their type, for parsers that do not know the types of flags that others add.
#ifndef BASE_FLAGS_FLAG_VALUES_H_
#define BASE_FLAGS_FLAG_VALUES_H_

#include <any>
#include <map>
#include <typeindex>

namespace steward {

// One value of each type, with the type's defaults until somebody changes it. Types are default
// constructible and copyable. Not thread-safe.
class FlagValues {
 public:
  // Stays where it is as long as this object does.
  template <typename T>
  T& Of() {
    const auto [it, is_new] = values_.try_emplace(typeid(T));
    if (is_new) it->second.emplace<T>();
    return *std::any_cast<T>(&it->second);
  }
  template <typename T>
  T Get() const {
    const auto it = values_.find(typeid(T));
    return it == values_.end() ? T() : *std::any_cast<T>(&it->second);
  }

 private:
  std::map<std::type_index, std::any> values_;
};

}  // namespace steward

#endif  // BASE_FLAGS_FLAG_VALUES_H_
