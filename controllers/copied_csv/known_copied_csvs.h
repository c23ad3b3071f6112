// The reconciler "copied-csvs" as `steward controllers` knows it. Immutable.
#ifndef CONTROLLERS_COPIED_CSV_KNOWN_COPIED_CSVS_H_
#define CONTROLLERS_COPIED_CSV_KNOWN_COPIED_CSVS_H_

#include <memory>

#include "base/flags/flag_values.h"
#include "controllers/copied_csv/copies_board.h"
#include "controllers/copied_csv/copy_toggle.h"
#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// Of the family "copies". Conflicts with olm-operator. Adds --concurrent-copied-csv-writes,
// --disable-copied-csvs and --protected-copied-csv-namespaces. `board` shows what it knows.
KnownReconciler KnownCopiedCsvs(std::shared_ptr<CopiesBoard> board);

// The values of the flags about the cluster-admin's choice.
CopyToggleDefaults ToggleDefaultsOf(const FlagValues& values);

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_CSV_KNOWN_COPIED_CSVS_H_
