#include "base/flags/feature_gates.h"

#include <optional>
#include <utility>

#include "absl/strings/str_split.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

std::optional<bool> ReadBool(absl::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

}  // namespace

FeatureGates::FeatureGates(std::vector<FeatureGate> known) : known_(std::move(known)) {
  for (const FeatureGate& gate : known_) on_[gate.name] = gate.on_by_default;
}

absl::Status FeatureGates::Set(std::string_view text) {
  for (const absl::string_view entry : absl::StrSplit(ToAbsl(text), ',', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    const auto gate = on_.find(std::string(parts.first));
    if (gate == on_.end()) {
      return absl::InvalidArgumentError(StrCat("unknown feature gate \"", parts.first, "\""));
    }
    const std::optional<bool> value = ReadBool(parts.second);
    if (!value.has_value()) {
      return absl::InvalidArgumentError(
          StrCat("feature gate \"", parts.first, "\" must be =true or =false"));
    }
    gate->second = *value;
  }
  return absl::OkStatus();
}

std::string FeatureGates::Help() const {
  std::string help = "Name=true|false,...";
  if (known_.empty()) return help + "; there are none at present";
  help += ":";
  for (const FeatureGate& gate : known_) {
    StrAppend(&help, "\n", gate.name, gate.on_by_default ? " (on): " : " (off): ", gate.help);
  }
  return help;
}

absl::StatusOr<FeatureGates> ParseFeatureGates(const std::vector<FeatureGate>& known,
                                               std::string_view text) {
  FeatureGates gates(known);
  if (const absl::Status status = gates.Set(text); !status.ok()) {
    return absl::InvalidArgumentError(StrCat("--feature-gates: ", ToStd(status.message())));
  }
  return gates;
}

}  // namespace steward
