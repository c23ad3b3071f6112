// Writing of one planned object into a cluster. A coroutine on the caller's executor.
#ifndef STORAGE_EMBEDDED_LOADER_MANIFEST_WRITER_H_
#define STORAGE_EMBEDDED_LOADER_MANIFEST_WRITER_H_

#include "base/async/task.h"
#include "kube/client/client.h"
#include "storage/embedded/loader/manifest_plan.h"

namespace steward::storage {

enum class Written { kCreated, kUpdated, kUnchanged };

// Creates the object. If it exists, updates it, unless a dry run shows that only resourceVersion
// and generation would change. Then does the same for its status. Starts over a few times when
// another client writes the object meanwhile. Errors are the client's; kFailedPrecondition for an
// object that is being deleted. The arguments outlive the call.
Task<Written> WritePlanned(kube::Client& client, const PlannedObject& planned);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_LOADER_MANIFEST_WRITER_H_
