// The meaning of YAML scalars. Pure functions.
#ifndef BASE_YAML_SCALAR_H_
#define BASE_YAML_SCALAR_H_

#include <boost/json/value.hpp>
#include <string_view>

#include "absl/status/statusor.h"

namespace steward::yaml {

// The meaning of a plain scalar without a tag, as Kubernetes resolves it. NaN and infinities are
// errors.
absl::StatusOr<boost::json::value> ResolvePlain(std::string_view text);

// The meaning of a scalar with the given full tag ("tag:yaml.org,2002:int"), quoted or not. Fails
// when the text is not of the tag's type; with a tag that is not a standard one, the scalar is a
// string.
absl::StatusOr<boost::json::value> ResolveTagged(std::string_view tag, std::string_view text);

// True when some reader of YAML 1.1 or 1.2 could take `text`, written plain, for something else
// than a string. Returns true in doubt. Ignores syntax (indicators, spaces).
bool CouldBeOtherThanString(std::string_view text);

}  // namespace steward::yaml

#endif  // BASE_YAML_SCALAR_H_
