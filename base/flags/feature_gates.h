// Features that can be switched on and off by name, as in Kubernetes' components. Not thread-safe.
#ifndef BASE_FLAGS_FEATURE_GATES_H_
#define BASE_FLAGS_FEATURE_GATES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward {

struct FeatureGate {
  std::string name;  // UpperCamelCase
  bool on_by_default = false;
  std::string help;
};

class FeatureGates {
 public:
  explicit FeatureGates(std::vector<FeatureGate> known);

  // Parses "Name=true,Other=false"; later entries win. kInvalidArgument names an unknown gate or a
  // bad value.
  absl::Status Set(std::string_view text);

  // REQUIRES: `name` is a known gate.
  bool IsOn(const std::string& name) const { return on_.at(name); }
  // The help of the flag --feature-gates, with a line for each gate: "Name (off): its help text".
  std::string Help() const;

 private:
  std::vector<FeatureGate> known_;
  std::map<std::string, bool> on_;
};

// The gates as `text`, the value of the flag --feature-gates, sets them. Errors are those of Set,
// with the flag's name in front.
absl::StatusOr<FeatureGates> ParseFeatureGates(const std::vector<FeatureGate>& known,
                                               std::string_view text);

}  // namespace steward

#endif  // BASE_FLAGS_FEATURE_GATES_H_
