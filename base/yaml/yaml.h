// YAML in and out, as Kubernetes means it (sigs.k8s.io/yaml): documents are JSON values in another
// notation. Pure functions.
#ifndef BASE_YAML_YAML_H_
#define BASE_YAML_YAML_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward {

struct YamlLimits {
  size_t max_size = 3 << 20;        // bytes of text
  size_t max_depth = 256;           // nested collections
  size_t max_expansion = 16 << 20;  // bytes that anchors, aliases and merge keys may add, estimated
  // If a mapping has equal keys, the last one counts; false: they are an error.
  bool last_of_equal_keys = false;
};

// Parses a text of one document; no document is null. Differences from plain YAML 1.2:
//  - Plain scalars resolve as in Kubernetes, that is by YAML 1.1 with some of 1.2: y, yes, on, 014,
//    0o14, 0x1F, 0b11, 1_000, +1 and .5 are no strings; 1:20 and dates are. NaN and infinities,
//    which JSON lacks, are errors.
//  - Keys become strings (1, 1.5, true). A null or a collection as key is an error, and so is a key
//    that is there twice (unless last_of_equal_keys).
//  - Merge keys (<<) are honoured: a mapping's own keys win, then earlier merged mappings.
//  - Unknown tags are ignored.
// Errors are InvalidArgument, "line N: reason"; a text beyond max_size is ResourceExhausted.
absl::StatusOr<boost::json::value> ParseYaml(std::string_view text, const YamlLimits& limits = {});

// Iterates over the texts of the documents in `text`, each from its marker on, without those that
// have no content. Neither parses nor keeps them, because a text may have millions.
class YamlTexts {
 public:
  // The bytes of `text` outlive this object.
  explicit YamlTexts(std::string_view text);
  struct Part {
    size_t line;  // where the document starts; 1 = the first line of the text
    std::string_view text;
  };
  std::optional<Part> Next();

 private:
  std::string_view text_;
  size_t pos_ = 0;          // of the next line
  size_t line_number_ = 1;  // of that line
  size_t start_ = 0;        // of the document that this line is in
  size_t start_line_ = 1;
};

struct YamlDocument {
  size_t line;  // where it starts, the first line of the text being 1
  absl::StatusOr<boost::json::value> value;
};
// Reads the documents between `---` lines, leaving out those without content. A bad document
// doesn't hide the others; its error names the line in the whole text.
std::vector<YamlDocument> ParseYamlDocuments(std::string_view text, const YamlLimits& limits = {});

// Appends `value` in block style as kubectl prints it: keys sorted, sequences not indented below
// their key, texts of several lines as literal blocks where that is exact. Quotes every string that
// some reader of YAML 1.1 or 1.2 could take for something else. Ends with a newline. Reads back as
// an equal value, except that NaN and infinities become null.
void WriteYaml(const boost::json::value& value, std::string& out);
// Writes a JSON text as YAML; errors are ParseJson's.
absl::Status WriteJsonAsYaml(std::string_view json, std::string& out);

}  // namespace steward

#endif  // BASE_YAML_YAML_H_
