// Sets of namespaces, including the set of all of them. Values.
#ifndef OLM_CLEANUP_TARGET_SET_H_
#define OLM_CLEANUP_TARGET_SET_H_

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steward::olm {

// All() also contains "", the place of cluster-scoped objects; a list of namespaces never does,
// however long it is.
class TargetSet {
 public:
  TargetSet() = default;  // none
  static TargetSet All() {
    TargetSet set;
    set.all_ = true;
    return set;
  }
  // Empty names are dropped.
  static TargetSet Of(const std::vector<std::string>& names) {
    TargetSet set;
    set.names_.insert(names.begin(), names.end());
    set.names_.erase("");
    return set;
  }

  bool all() const { return all_; }
  bool empty() const { return !all_ && names_.empty(); }
  const std::set<std::string, std::less<>>& names() const { return names_; }  // empty when all()
  // `ns` "" = outside of namespaces.
  bool Contains(std::string_view ns) const { return all_ || names_.contains(ns); }

  // The intersection: all namespaces only when both are.
  TargetSet Intersect(const TargetSet& other) const {
    if (all_) return other;
    if (other.all_) return *this;
    TargetSet both;
    for (const std::string& name : names_) {
      if (other.names_.contains(name)) both.names_.insert(name);
    }
    return both;
  }
  bool IsSubsetOf(const TargetSet& other) const { return Intersect(other) == *this; }

  bool operator==(const TargetSet&) const = default;

 private:
  bool all_ = false;
  std::set<std::string, std::less<>> names_;
};

}  // namespace steward::olm

#endif  // OLM_CLEANUP_TARGET_SET_H_
