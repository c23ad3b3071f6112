// Checks the form of ClusterServiceVersions. Pure functions; thread-safe.
#ifndef OLM_CSV_CONTENT_CSV_CONTENT_H_
#define OLM_CSV_CONTENT_CSV_CONTENT_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steward::olm {

// A schema (openAPIV3Schema) written for Steward: the fields that Steward reads, and the types of
// well-known fields. It refuses values that no decoder could read, and keeps unknown fields.
std::string_view CsvSchema();

// The reasons why OLM could not decode the ClusterServiceVersion, or a server would refuse it, for
// example "spec.install.spec.permissions[0].rules: must be a list". Empty = no problems.
std::vector<std::string> CsvContentProblems(const boost::json::object& csv);

}  // namespace steward::olm

#endif  // OLM_CSV_CONTENT_CSV_CONTENT_H_
