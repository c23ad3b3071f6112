// Readings and cursors over stored objects. Used by one task at a time.
#ifndef APISERVER_STORED_CURSORS_H_
#define APISERVER_STORED_CURSORS_H_

#include <memory>
#include <string>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/stored/columns.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::stored {

// A Reading of the object alone, in its current state. `columns` and `clock` outlive it.
rest::Reading ReadingOf(kube::RawObject object, const Columns& columns, const Clock& clock);

// The source of the pages of one list.
struct PageSource {
  kube::Client& client;
  kube::GroupVersionResource gvr;
  const Columns& columns;
  const Clock& clock;
};

// A cursor over the objects of `page`, then of the following pages, each of at most `options.limit`
// objects and fetched when the one before is used up. The source's references outlive the cursor.
std::unique_ptr<rest::Cursor> CursorOver(PageSource source, kube::ListOptions options,
                                         kube::ListPage page);

}  // namespace steward::stored

#endif  // APISERVER_STORED_CURSORS_H_
