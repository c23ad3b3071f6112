// Features that can be switched on and off by name, as Kubernetes' components have them.
#ifndef BASE_FLAGS_FEATURE_GATES_H_
#define BASE_FLAGS_FEATURE_GATES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace steward {

struct FeatureGate {
  std::string name;  // UpperCamelCase
  bool on_by_default = false;
  std::string help;
};

class FeatureGates {
 public:
  explicit FeatureGates(std::vector<FeatureGate> known);

  // "Name=true,Other=false"; later ones win. kInvalidArgument names what is wrong: no such gate, or
  // no such value.
  absl::Status Set(std::string_view text);

  // REQUIRES: known.
  bool IsOn(const std::string& name) const { return on_.at(name); }
  // One line for each gate, for --help: "Name (off): what it does". "" when there is none.
  std::string Help() const;

 private:
  std::vector<FeatureGate> known_;
  std::map<std::string, bool> on_;
};

}  // namespace steward

#endif  // BASE_FLAGS_FEATURE_GATES_H_
