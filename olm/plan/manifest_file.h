// The object that OLM takes of a file of a bundle. Pure functions.
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
  // A line of the file, the first one being 1, and what is odd there.
  struct Remark {
    size_t line = 1;
    std::string what;
  };
  boost::json::object object;    // empty where nothing is taken
  std::vector<Remark> left_out;  // one where nothing is taken: why
  std::vector<Remark> remarks;   // what else of the file is not as it seems
};

// Reads a file as operator-registry does: the first document of YAML, or the first object of JSON,
// and nothing else; of equal keys the last one counts. A file that cannot be read, or has no kind,
// is left out. `max_size` in bytes.
ManifestFile ReadManifestFile(std::string_view text, size_t max_size);

// The place and the reason in an error of ParseYaml, "line N: reason"; `line` where it names none.
ManifestFile::Remark RemarkOf(size_t line, const absl::Status& error);

}  // namespace steward::olm

#endif  // OLM_PLAN_MANIFEST_FILE_H_
