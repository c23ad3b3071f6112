// The construction of valid requirements, shared by the two forms of label selectors. Pure
// functions.
#ifndef KUBE_META_LABEL_REQUIREMENT_H_
#define KUBE_META_LABEL_REQUIREMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/meta/selector.h"

namespace steward::kube {

// Validates key and values, sorts the values and drops repeated ones. The error lists all problems,
// in Kubernetes' words.
absl::StatusOr<LabelSelector::Requirement> MakeLabelRequirement(std::string key,
                                                                LabelSelector::Operator op,
                                                                std::vector<std::string> values);

// A decimal integer with an optional sign, as Go's strconv.ParseInt reads it; nullopt for anything
// else.
std::optional<int64_t> ParseLabelInteger(std::string_view s);

}  // namespace steward::kube

#endif  // KUBE_META_LABEL_REQUIREMENT_H_
