// The reading of a dump into a store. A coroutine on the caller's executor.
#ifndef STORAGE_EMBEDDED_DUMP_DUMP_LOADER_H_
#define STORAGE_EMBEDDED_DUMP_DUMP_LOADER_H_

#include <cstddef>
#include <memory>

#include "base/async/task.h"
#include "storage/embedded/dump/dump_files.h"
#include "storage/embedded/dump/dump_summary.h"
#include "storage/embedded/store/store.h"

namespace steward::storage {

// The limit of objects and unreadable parts together.
inline constexpr size_t kMaxDumpObjects = 1'000'000;

// Marks a Namespace object that the loader made, because the dump has objects in that namespace but
// lacks the Namespace itself.
inline constexpr char kAssumedAnnotation[] = "steward.operatorframework.io/assumed";

// Puts the objects into `store` unchanged, except for metadata.resourceVersion. Checks nothing that
// a create would check. Fills in only a missing namespace (from the path, else "default") and a
// missing UID. If a dump has an object twice, the one with the higher resourceVersion counts, else
// the first. Knows the kinds that the store has built in, that the dump defines, and that the path
// describes (dump_layout.h); objects of other kinds are left out. The store serves all these kinds.
// Makes the Namespaces that objects lie in and the dump lacks. REQUIRES: `store` is empty.
//
// Reads on one thread, and parses on one thread per core and one more. Holds a few files at a time,
// at most one of them large. The summary does not depend on the threads' timing. Errors:
// kResourceExhausted for a dump that is too large, and the store's. Cancellable. REQUIRES: the
// executor runs one handler at a time.
Task<DumpSummary> LoadDump(Store& store, std::unique_ptr<DumpFiles> files);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_DUMP_DUMP_LOADER_H_
