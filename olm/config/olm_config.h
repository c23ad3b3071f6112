// The cluster-admin's word on copies of ClusterServiceVersions, in the OLMConfig `cluster`
// (R-004-22 to 26). Pure functions.
#ifndef OLM_CONFIG_OLM_CONFIG_H_
#define OLM_CONFIG_OLM_CONFIG_H_

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace steward::olm {

// The only OLMConfig that means anything (R-004-23).
inline constexpr char kOlmConfigName[] = "cluster";

// The condition that tells what came of the word, and its reasons.
inline constexpr std::string_view kDisabledCopiedCsvs = "DisabledCopiedCSVs";
inline constexpr std::string_view kCopiedCsvsEnabled = "CopiedCSVsEnabled";
inline constexpr std::string_view kCopiedCsvsDisabled = "CopiedCSVsDisabled";

// spec.features.disableCopiedCSVs, or else 'disable-copied-csvs' (R-004-24); nullopt when neither
// is set. An error (kInvalidArgument) when one of them is no truth value: nobody knows what was
// meant.
absl::StatusOr<std::optional<bool>> DisablesCopies(const boost::json::object& olm_config);

// The choice, with the object's name.
struct OlmConfigWord {
  std::string name;
  absl::StatusOr<std::optional<bool>> disables_copies;
};
// Errors (kInvalidArgument): not a JSON object, or no name.
absl::StatusOr<OlmConfigWord> ReadOlmConfig(std::string_view json);

// The state of the copies of operators that are installed for all namespaces, compared with the
// word.
struct CopiesState {
  bool disabled = false;
  bool differs = false;  // copies are missing, or there are some that shall not be
  // While disabled: copies are there of which nobody knows whether their operators are installed
  // for all namespaces.
  bool unexplained = false;

  bool operator==(const CopiesState&) const = default;
};

// The message of the condition for a state that OLM has no words for: disabled, and unexplained.
inline constexpr std::string_view kUnexplainedCopies =
    "Copied CSVs are disabled and at least one copied CSV is left of which it is not known whether "
    "its operator is installed in AllNamespace mode: the operator is gone, or its namespace has "
    "not "
    "exactly one valid OperatorGroup";

// Sets the condition DisabledCopiedCSVs in `olm_config`'s status, in the words of OLM where it has
// them; `now` is the time of a transition, as RFC 3339. Returns false, and changes nothing, when it
// says so already.
bool SetCopiesCondition(CopiesState state, std::string_view now, boost::json::object& olm_config);

}  // namespace steward::olm

#endif  // OLM_CONFIG_OLM_CONFIG_H_
