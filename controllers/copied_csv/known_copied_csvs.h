// The reconciler "copied-csvs" as `steward controllers` knows it. Immutable.
#ifndef CONTROLLERS_COPIED_CSV_KNOWN_COPIED_CSVS_H_
#define CONTROLLERS_COPIED_CSV_KNOWN_COPIED_CSVS_H_

#include <memory>

#include "controllers/copies/copy_state.h"
#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// The reconciler is of the family "copies", conflicts with olm-operator, and adds
// --concurrent-copied-csv-writes, --disable-copied-csvs and --protected-copied-csv-namespaces. It
// shows its knowledge on `copy_state`.
KnownReconciler KnownCopiedCsvs(std::shared_ptr<CopyState> copy_state);

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_CSV_KNOWN_COPIED_CSVS_H_
