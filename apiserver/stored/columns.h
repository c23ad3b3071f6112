// The columns of a stored object in the Table form. Immutable, so thread-safe.
#ifndef APISERVER_STORED_COLUMNS_H_
#define APISERVER_STORED_COLUMNS_H_

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/stored/json_path.h"
#include "kube/meta/resource_type.h"

namespace steward::stored {

// Name, followed by the kind's own columns or, if it has none, Age.
class Columns {
 public:
  explicit Columns(std::vector<kube::PrinterColumn> columns);

  const std::vector<rest::Column>& definitions() const { return definitions_; }

  // Appends the row as a JSON array. A cell is null when its path is not supported by JsonPath, or
  // leads to no value or to one that does not fit the column's type. A date is shown as the time
  // since that date.
  void AppendCells(std::string_view name, const boost::json::value& object, absl::Time now,
                   std::string& out) const;

 private:
  std::vector<rest::Column> definitions_;
  std::vector<std::optional<JsonPath>> paths_;  // of all columns but Name
};

}  // namespace steward::stored

#endif  // APISERVER_STORED_COLUMNS_H_
