// The result of a comparison of copies with InstalledOperators, and how it is shown. Not
// thread-safe.
#ifndef PLUGIN_COPIED_CSVS_TALLY_H_
#define PLUGIN_COPIED_CSVS_TALLY_H_

#include <boost/json/object.hpp>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "kube/meta/names.h"
#include "plugin/copied_csvs/difference.h"
#include "plugin/copied_csvs/olm_config.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {

// Memory that each byte of copies costs one kube-apiserver. It holds copies parsed, which takes 2.4
// bytes for each byte of JSON (measured with published ClusterServiceVersions), and its garbage
// collector keeps as much again in reserve.
inline constexpr int64_t kMemoryPerByte = 5;

// Counts of one namespace, or of all.
struct Tally {
  int64_t namespaces = 0;
  int64_t going = 0;  // namespaces that are being deleted, and are left out

  int64_t copies = 0;
  int64_t differ = 0;      // copies
  int64_t only_copy = 0;   // copies
  int64_t only_view = 0;   // InstalledOperators that should have a copy
  int64_t needs_none = 0;  // InstalledOperators without one, since copies are turned off
  // Copies that turning copies off would delete (`deletable`, with their bytes), and those that
  // would stay.
  int64_t deletable = 0;
  int64_t deletable_bytes = 0;
  int64_t staying = 0;

  // Counts a copy. `mode` is the install mode that its InstalledOperator shows; "" = unknown.
  void AddCopy(std::string_view mode, size_t bytes);
  Tally& operator+=(const Tally& other);
  bool all_same() const { return differ + only_copy + only_view == 0; }
};

// One object that the two sides show differently.
struct Found {
  enum class What { kDiffers, kOnlyCopy, kOnlyView };
  kube::NamespacedName key;
  What what = What::kDiffers;
  Differences differences = {};  // of kDiffers
};

void ShowFound(Terminal& terminal, const Found& found);
boost::json::object FoundJson(const Found& found);

// Prints the sums, and what turning copies off would save. `complete` is false if the comparison
// ended early.
void ShowTally(Terminal& terminal, const Tally& tally, Copies copies, bool complete);
// Adds the sums to the command's document.
void AddTally(const Tally& tally, Copies copies, bool complete, boost::json::object& document);
// OK if all is the same.
absl::Status Judge(const Tally& tally);

}  // namespace steward::plugin

#endif  // PLUGIN_COPIED_CSVS_TALLY_H_
