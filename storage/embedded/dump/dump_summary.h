// The contents and the problems of a dump, in words. Values and pure functions.
#ifndef STORAGE_EMBEDDED_DUMP_DUMP_SUMMARY_H_
#define STORAGE_EMBEDDED_DUMP_DUMP_SUMMARY_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "storage/embedded/dump/dump_objects.h"

namespace steward::storage {

struct DumpSummary {
  // The problems of a sort that are kept: more are counted.
  static constexpr size_t kKept = DumpPart::kKept;

  struct Problems {
    size_t count = 0;
    std::vector<DumpProblem> kept;
  };

  size_t files = 0;
  std::map<std::string, size_t>
      objects;          // by resource: "clusterserviceversions.operators.coreos.com"
  size_t copies = 0;    // of the ClusterServiceVersions, those that OLM copied
  size_t computed = 0;  // objects that are left out, since they are computed from others here, too
  std::map<DumpProblem::Sort, Problems> problems;

  size_t Objects() const;
  void Add(DumpProblem problem);
  void Add(DumpPart& part);  // its problems, which it gives away
  // Lines of text: how many objects there are, by resource, then the problems of each sort; at most
  // `shown` lines each, OLM's resources first.
  std::string ToText(const std::string& dump, size_t shown) const;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_DUMP_DUMP_SUMMARY_H_
