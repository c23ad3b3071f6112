#include "olm/cleanup/status.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/json/json_access.h"
#include "base/json/utf8.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

std::string_view ReasonOf(const json::value& condition) {
  const json::object* object = condition.if_object();
  return object == nullptr ? std::string_view() : StringAt(*object, "reason");
}

bool IsOurs(const json::value& condition) { return IsReasonOfOurs(ReasonOf(condition)); }

// The condition as JSON; the existing one when its message is unchanged.
json::value Render(const CleanupCondition& condition, const json::array& live,
                   const std::string& now) {
  const std::string_view message = CutUtf8(condition.message, kMaxConditionMessage);
  std::string transition = now;
  for (const json::value& before : live) {
    if (ReasonOf(before) != condition.reason) continue;
    const json::object& object = before.get_object();
    if (StringAt(object, "phase") != condition.phase) continue;
    if (StringAt(object, "message") == message) return before;
    if (!StringAt(object, "lastTransitionTime").empty()) {
      transition = StringAt(object, "lastTransitionTime");
    }
  }
  return json::object{{"lastTransitionTime", transition},
                      {"lastUpdateTime", now},
                      {"message", message},
                      {"phase", condition.phase},
                      {"reason", condition.reason}};
}

constexpr std::string_view kWaitingFor = "waiting for operator to finish cleanup for ";

std::string DefinitionsText(size_t count) {
  return count == 0 ? "" : StrCat("; definitions being deleted: ", count);
}

}  // namespace

bool IsSaidBefore(std::string_view reason) {
  return reason == kRightsHeld || reason == kRightsMayBeLost || reason == kOptInUnconfirmed;
}

json::array PendingDeletion(std::vector<PendingOperand> operands) {
  std::sort(operands.begin(), operands.end());
  if (operands.size() > kMaxPendingInstances) operands.resize(kMaxPendingInstances);
  json::array groups;
  for (size_t i = 0; i < operands.size(); ++i) {
    const PendingOperand& operand = operands[i];
    const bool same =
        i > 0 && operands[i - 1].group == operand.group && operands[i - 1].kind == operand.kind;
    if (!same) {
      groups.push_back(json::object{
          {"group", operand.group}, {"kind", operand.kind}, {"instances", json::array()}});
    }
    json::object instance{{"name", operand.name}};
    if (!operand.ns.empty()) instance["namespace"] = operand.ns;
    groups.back().get_object()["instances"].get_array().push_back(std::move(instance));
  }
  return groups;
}

json::array PendingDeletionByKind(const std::vector<PendingKind>& kinds) {
  json::array groups;
  for (const PendingKind& each : kinds) {
    groups.push_back(
        json::object{{"group", each.group}, {"kind", each.kind}, {"instances", json::array()}});
  }
  return groups;
}

std::string WaitingMessage(size_t count, size_t definitions) {
  return StrCat(kWaitingFor, count, count == 1 ? " CR" : " CRs", DefinitionsText(definitions));
}

std::string WaitingMessage(const std::vector<PendingKind>& kinds, std::string_view where) {
  size_t all = 0, definitions = 0;
  std::string text;
  for (const PendingKind& each : kinds) {
    if (IsDefinition(each)) {
      definitions += each.count;
      continue;
    }
    all += each.count;
    StrAppend(&text, text.empty() ? ": " : ", ", each.count, " ", each.kind);
  }
  return StrCat(WaitingMessage(all), text, DefinitionsText(definitions), "; see ", where);
}

std::optional<size_t> CountIn(std::string_view waiting_message) {
  if (!waiting_message.starts_with(kWaitingFor)) return std::nullopt;
  const std::string_view rest = waiting_message.substr(kWaitingFor.size());
  const char* const end = rest.data() + rest.size();
  size_t count = 0;
  const auto [stop, error] = std::from_chars(rest.data(), end, count);
  if (error != std::errc()) return std::nullopt;
  const std::string said = WaitingMessage(count);
  if (!waiting_message.starts_with(said)) return std::nullopt;
  const std::string_view more = waiting_message.substr(said.size());
  if (!more.empty() && more.front() != ':' && more.front() != ';') return std::nullopt;
  return count;
}

json::array WithConditions(const json::array& live, const std::vector<CleanupCondition>& ours,
                           const std::string& now) {
  json::array result;
  for (const json::value& condition : live) {
    if (!IsOurs(condition)) result.push_back(condition);
  }
  const size_t room = kMaxConditions - std::min(ours.size(), kMaxConditions);
  if (result.size() > room) result.erase(result.begin(), result.end() - static_cast<long>(room));
  for (const CleanupCondition& condition : ours) {
    if (!IsSaidBefore(condition.reason)) continue;
    result.insert(result.empty() ? result.end() : result.end() - 1, Render(condition, live, now));
  }
  for (const CleanupCondition& condition : ours) {
    if (!IsSaidBefore(condition.reason)) result.push_back(Render(condition, live, now));
  }
  return result;
}

bool HasCondition(const json::array& live, std::string_view reason) {
  return std::any_of(live.begin(), live.end(), [reason](const json::value& condition) {
    return ReasonOf(condition) == reason;
  });
}

}  // namespace steward::olm
