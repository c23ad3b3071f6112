// The progress of a cleanup, in rows. Not thread-safe.
#ifndef PLUGIN_CLEANUP_PROGRESS_H_
#define PLUGIN_CLEANUP_PROGRESS_H_

#include <boost/json/array.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plugin/cluster/operands.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {

// Counts over time. The total of a definition is the largest number that was ever left at once, so
// late custom resources move a bar back and never beyond its end.
class Progress {
 public:
  void Add(const OperandCounts& counts);

  // One row for each definition that ever had operands to delete.
  std::vector<Terminal::Row> Bars() const;
  // The bars in one line: "widgets.example.com 3 of 10, gadgets.example.com 0 of 2 deleted".
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

// One operand in a line: "widgets.example.com a/x: deleted 2026-01-02T03:04:05Z, held by
// example.com/finish".
std::string DescribeHeld(const HeldOperand& held);
// Prints a line for each operand.
void PrintHeld(Terminal& terminal, const std::vector<HeldOperand>& held, Style style);
boost::json::array HeldJson(const std::vector<HeldOperand>& held);

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_PROGRESS_H_
