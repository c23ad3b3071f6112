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

// Objects, and parts that are none.
inline constexpr size_t kMaxDumpObjects = 1'000'000;

// Marks an object that stands for a Namespace that is not in the dump.
inline constexpr char kAssumedAnnotation[] = "steward.operatorframework.io/assumed";

// Puts the objects into `store`, which is empty, as they are, but for metadata.resourceVersion:
// nothing is checked as in a creation, and nothing is filled in but a namespace that only the path
// names, and a UID where there is none. Where a dump has an object twice, the higher
// resourceVersion counts, or the first. A kind is the store's own, or defined by the dump, or
// described by the path (dump_layout.h); others are left out. The store shows all of them.
// Namespaces of objects that are not there are assumed.
//
// Reads on a thread, parses on as many as there are cores, and holds a few files at a time, of
// which one is large; what is told is the same each time. Errors: kResourceExhausted for a dump
// that is too much, and the store's. Cancellable. REQUIRES: the executor runs one handler at a
// time.
Task<DumpSummary> LoadDump(Store& store, std::unique_ptr<DumpFiles> files);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_DUMP_DUMP_LOADER_H_
