// The object that OLM takes from a file of a bundle. Pure functions.
#ifndef OLM_PLAN_MANIFEST_FILE_H_
#define OLM_PLAN_MANIFEST_FILE_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace steward::olm {

struct ManifestFile {
  // A line of the file, counted from 1, and what is odd there.
  struct Remark {
    size_t line = 1;
    std::string what;
  };
  boost::json::object object;    // empty if OLM takes no object
  std::vector<Remark> left_out;  // one remark, the reason, if OLM takes no object; else empty
  std::vector<Remark> remarks;   // other oddities of the file, for example further documents
};

// Reads a file as operator-registry does: the first document of YAML, or the first object of JSON,
// and nothing else. If a key occurs twice, the last one counts. A file that cannot be read or has
// no kind is left out. `max_size` is in bytes.
ManifestFile ReadManifestFile(std::string_view text, size_t max_size);

// Splits an error of ParseYaml, "line N: reason", into line and reason. Uses `line` if the error
// names no line.
ManifestFile::Remark RemarkOf(size_t line, const absl::Status& error);

}  // namespace steward::olm

#endif  // OLM_PLAN_MANIFEST_FILE_H_
