// The parser of documents as Kubernetes' clients write them, some twenty times faster than the one
// of all YAML. Pure functions.
#ifndef BASE_YAML_BLOCK_DOCUMENT_H_
#define BASE_YAML_BLOCK_DOCUMENT_H_

#include <boost/json/value.hpp>
#include <optional>
#include <string_view>

#include "base/yaml/yaml.h"

namespace steward::yaml {

// The value of one document, which may start with its `---`, if it is made of block mappings and
// sequences, literal blocks, quoted and plain scalars, {} and [] alone. It is the value that
// ParseDocument returns. nullopt for everything else, which may be right or wrong. REQUIRES: `text`
// is UTF-8 and has only characters that YAML allows.
std::optional<boost::json::value> ParseBlockDocument(std::string_view text,
                                                     const YamlLimits& limits);

}  // namespace steward::yaml

#endif  // BASE_YAML_BLOCK_DOCUMENT_H_
