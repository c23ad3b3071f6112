// How far a cleanup is, in rows.
#ifndef PLUGIN_PROGRESS_H_
#define PLUGIN_PROGRESS_H_

#include <boost/json/array.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "plugin/operands.h"
#include "plugin/terminal.h"

namespace steward::plugin {

// "[#####-----]" of that many characters between the brackets. REQUIRES: 0 <= done <= total
std::string Bar(int64_t done, int64_t total, size_t width);

// "0:07", "12:34", "1:02:03".
std::string ElapsedText(absl::Duration elapsed);

// Counts over time. The total of a definition is the most that were ever left at once, so custom
// resources that come late move a bar back and never beyond its end.
class Progress {
 public:
  void Add(const OperandCounts& counts);

  // One for each definition that ever had something to delete.
  std::vector<Terminal::Row> Bars() const;
  // The same in one line: "widgets.example.com 3 of 10, gadgets.example.com 0 of 2 deleted".
  std::string Summary() const;
  bool empty() const { return of_.empty(); }

 private:
  struct OfCrd {
    int64_t total = 0;
    int64_t left = 0;
    int64_t deleting = 0;
  };
  std::map<std::string, OfCrd> of_;
};

// "widgets.example.com a/x: deleted 2026-01-02T03:04:05Z, held by example.com/finish".
std::string DescribeHeld(const HeldOperand& held);
boost::json::array HeldJson(const std::vector<HeldOperand>& held);

}  // namespace steward::plugin

#endif  // PLUGIN_PROGRESS_H_
