// A list of one namespace that is read object by object. Not thread-safe; runs on the caller's
// executor.
#ifndef PLUGIN_COPIED_CSVS_ORDERED_LIST_H_
#define PLUGIN_COPIED_CSVS_ORDERED_LIST_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/client/pager.h"
#include "kube/meta/names.h"

namespace steward::plugin {

// The objects of a kind that have a label, in the server's order, which is by name. Holds one page,
// and one parsed object.
class OrderedList {
 public:
  // REQUIRES: `client` outlives this object.
  OrderedList(kube::Client& client, kube::GroupVersionResource gvr, std::string ns,
              std::string label);

  // Goes to the first object at the first call, then to the next one. False behind the last. Errors
  // name the list.
  Task<bool> Next();

  // The current object: its name, its JSON, and the bytes that the server sent. REQUIRES: the last
  // Next returned true.
  std::string_view name() const;
  const boost::json::object& object() const { return object_.get_object(); }
  size_t bytes() const { return bytes_; }

 private:
  const std::string doing_;
  kube::Pager pages_;
  kube::ListPage page_;
  size_t next_ = 0;  // in the page
  boost::json::value object_;
  size_t bytes_ = 0;
};

}  // namespace steward::plugin

#endif  // PLUGIN_COPIED_CSVS_ORDERED_LIST_H_
