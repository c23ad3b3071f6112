// Describes steward.copiedcsv.v1.CopiedCSVService for the server. A pure function.
#ifndef CONTROLLERS_RPC_COPIED_CSV_SERVICE_H_
#define CONTROLLERS_RPC_COPIED_CSV_SERVICE_H_

#include "controllers/rpc/bridge/served_service.h"
#include "controllers/rpc/copied_csv/copied_csv_calls.h"

namespace steward::rpc {

// The service follows the copies while the server serves, and is ready once they are known. The
// references in `deps` outlive the server.
ServedService ServeCopiedCsvs(CopiedCsvCallsDeps deps, CopiedCsvCallsOptions options = {});

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_COPIED_CSV_SERVICE_H_
