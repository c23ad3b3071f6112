// The cluster-admin's choice about copies of ClusterServiceVersions, in the OLMConfig `cluster`
// (R-004-22 to 26). Pure functions.
#ifndef OLM_CONFIG_OLM_CONFIG_H_
#define OLM_CONFIG_OLM_CONFIG_H_

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace steward::olm {

// The name of the only OLMConfig that has an effect (R-004-23).
inline constexpr char kOlmConfigName[] = "cluster";

// The condition that reports the effect of the choice, and its reasons.
inline constexpr std::string_view kDisabledCopiedCsvs = "DisabledCopiedCSVs";
inline constexpr std::string_view kCopiedCsvsEnabled = "CopiedCSVsEnabled";
inline constexpr std::string_view kCopiedCsvsDisabled = "CopiedCSVsDisabled";

// spec.features.disableCopiedCSVs, or else 'disable-copied-csvs' (R-004-24); nullopt when neither
// is set. kInvalidArgument when the first of the two that is set is not a boolean, because its
// meaning is unknown.
absl::StatusOr<std::optional<bool>> DisablesCopies(const boost::json::object& olm_config);

// The choice, with the object's name.
struct OlmConfigWord {
  std::string name;
  absl::StatusOr<std::optional<bool>> disables_copies;
};
// Errors (kInvalidArgument): not a JSON object, or no name.
absl::StatusOr<OlmConfigWord> ReadOlmConfig(std::string_view json);

// The state of the copies of operators that are installed for all namespaces, compared with the
// choice.
struct CopiesState {
  bool disabled = false;
  bool differs = false;  // copies are missing, or copies exist that should not
  // While disabled: there are copies of operators that may or may not be installed for all
  // namespaces; nobody can tell.
  bool unexplained = false;

  bool operator==(const CopiesState&) const = default;
};

// The message for disabled and unexplained, a state for which OLM has no message.
inline constexpr std::string_view kUnexplainedCopies =
    "Copied CSVs are disabled and at least one copied CSV is left of which it is not known whether "
    "its operator is installed in AllNamespace mode: the operator is gone, or its namespace has "
    "not "
    "exactly one valid OperatorGroup";

// Sets the condition DisabledCopiedCSVs in `olm_config`'s status, with OLM's messages where OLM has
// one. `now` (RFC 3339) is the time of a transition. Returns false, and changes nothing, if the
// condition says the same already.
bool SetCopiesCondition(CopiesState state, std::string_view now, boost::json::object& olm_config);

}  // namespace steward::olm

#endif  // OLM_CONFIG_OLM_CONFIG_H_
