#include "apiserver/views/cleanup_status/pending/pending.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "kube/meta/user_info.h"

namespace steward::views {
namespace json = boost::json;
namespace {

constexpr char kKind[] = "PendingOperandList";
constexpr char kApiVersion[] = "views.operators.coreos.com/v1alpha1";

void SetUnlessEmpty(json::object& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

json::object Item(const upstream::PendingOperand& operand) {
  json::object item{{"group", operand.group}, {"kind", operand.kind}, {"plural", operand.plural}};
  SetUnlessEmpty(item, "namespace", operand.name.ns);
  item["name"] = operand.name.name;
  SetUnlessEmpty(item, "uid", operand.uid);
  SetUnlessEmpty(item, "deletionTimestamp", operand.deletion_timestamp);
  if (!operand.finalizers.empty()) {
    item["finalizers"] = json::array(operand.finalizers.begin(), operand.finalizers.end());
  }
  return item;
}

json::object Document(const upstream::PendingPage& page) {
  json::object metadata;
  if (!page.continue_token.empty()) {
    metadata["continue"] = page.continue_token;
    metadata["remainingItemCount"] = page.remaining;
  }
  json::array items;
  items.reserve(page.operands.size());
  for (const upstream::PendingOperand& operand : page.operands) items.push_back(Item(operand));
  return {{"kind", kKind},
          {"apiVersion", kApiVersion},
          {"metadata", std::move(metadata)},
          {"items", std::move(items)},
          {"hidden", page.hidden}};
}

}  // namespace

rest::Subresource PendingView::Subresource() {
  rest::Subresource subresource;
  subresource.name = "pending";
  subresource.get_page = this;
  subresource.kind = kKind;
  return subresource;
}

Task<std::string> PendingView::GetPage(const kube::UserInfo& user, rest::PageRequest request) {
  upstream::Asker asker;
  asker.user = user;
  asker.audit_id = std::move(request.audit_id);
  asker.traceparent = std::move(request.traceparent);
  CO_ASSIGN_OR_RETURN(
      const upstream::PendingPage page,
      co_await upstream_.ListPending(std::move(asker), std::move(request.name), request.limit,
                                     std::move(request.continue_token)));
  co_return Serialize(Document(page));
}

}  // namespace steward::views
