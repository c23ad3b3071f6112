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
  // The number of problems of one sort that are kept. Further problems are only counted.
  static constexpr size_t kKept = DumpPart::kKept;

  struct Problems {
    size_t count = 0;
    std::vector<DumpProblem> kept;
  };

  size_t files = 0;
  std::map<std::string, size_t>
      objects;          // by resource: "clusterserviceversions.operators.coreos.com"
  size_t copies = 0;    // ClusterServiceVersions that are OLM's copies
  size_t computed = 0;  // virtual objects; left out, because this server computes them anew
  std::map<DumpProblem::Sort, Problems> problems;

  size_t Objects() const;
  void Add(DumpProblem problem);
  void Add(DumpPart& part);  // moves the problems out of `part`
  // Lines of text: the number of objects of each resource, OLM's first, then the problems of each
  // sort; at most `shown` lines for each.
  std::string ToText(const std::string& dump, size_t shown) const;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_DUMP_DUMP_SUMMARY_H_
