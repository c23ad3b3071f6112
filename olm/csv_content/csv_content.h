// The form of ClusterServiceVersions that can be read. Pure functions; thread-safe.
#ifndef OLM_CSV_CONTENT_CSV_CONTENT_H_
#define OLM_CSV_CONTENT_CSV_CONTENT_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steward::olm {

// A schema (openAPIV3Schema) of Steward's own writing: the fields that Steward reads, and the types
// of well-known ones. It refuses what no decoder could read, and keeps everything else.
std::string_view CsvSchema();

// Why OLM could not decode the ClusterServiceVersion, or a server would refuse it:
// "spec.install.spec.permissions[0].rules: must be a list". Empty: it is as it should be.
std::vector<std::string> CsvContentProblems(const boost::json::object& csv);

}  // namespace steward::olm

#endif  // OLM_CSV_CONTENT_CSV_CONTENT_H_
