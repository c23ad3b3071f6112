#include "plugin/payload/preview_text.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstdint>

#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/text/str_cat.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

using payload::PreviewAction;
using payload::PreviewedLoss;

constexpr char kLeftOut[] = "left out";
constexpr size_t kMostFields = 8;

std::string FieldsText(const std::vector<std::string>& fields) {
  if (fields.size() <= kMostFields) return absl::StrJoin(fields, ", ");
  return StrCat(absl::StrJoin(fields.begin(), fields.begin() + kMostFields, ", "), " and ",
                fields.size() - kMostFields, " more");
}

std::string LossesText(const std::vector<PreviewedLoss>& losses) {
  int64_t all = 0;
  bool counted = true;
  std::vector<std::string> parts;
  for (const PreviewedLoss& each : losses) {
    all += each.count.value_or(0);
    counted = counted && each.count.has_value();
    parts.push_back(each.count ? StrCat(*each.count, " ", each.resource)
                               : StrCat(each.resource, ", which could not be counted"));
  }
  return StrCat(counted ? "" : "at least ", CountText(all, "object"),
                all == 1 ? " goes with it: " : " go with it: ", absl::StrJoin(parts, ", "));
}

}  // namespace

std::string PreviewedLine::ToString() const {
  std::string text = StrCat(action, " ", object.identity.ToString());
  if (!object.losses.empty()) StrAppend(&text, ", ", LossesText(object.losses));
  if (!object.fields.empty()) StrAppend(&text, ": ", FieldsText(object.fields));
  if (!object.reason.empty()) StrAppend(&text, ": ", object.reason);
  return text;
}

Style PreviewedLine::style() const {
  if (action == kLeftOut) return Style::kFaint;
  switch (object.action) {
    case PreviewAction::kCreate:
      return Style::kGood;
    case PreviewAction::kUpdate:
      return Style::kPlain;
    case PreviewAction::kUnchanged:
      return Style::kFaint;
    case PreviewAction::kDelete:
    case PreviewAction::kKept:
      return Style::kWarning;
    case PreviewAction::kRefused:
      return Style::kBad;
  }
  return Style::kPlain;
}

json::object PreviewedLine::ToJson() const {
  json::object one = IdentityJson(object.identity, object.where);
  one["action"] = action;
  one["fields"] = json::array(object.fields.begin(), object.fields.end());
  one["reason"] = object.reason;
  json::array goes;
  for (const PreviewedLoss& each : object.losses) {
    const json::value count = each.count ? json::value(*each.count) : json::value(nullptr);
    goes.push_back(json::object{{"resource", each.resource}, {"count", count}});
  }
  one["goes"] = std::move(goes);
  return one;
}

std::vector<PreviewedLine> LinesOf(const payload::Release& release,
                                   const payload::Preview& preview) {
  std::vector<PreviewedLine> lines;
  auto object = preview.objects.begin();
  auto left_out = preview.left_out.begin();
  // Each manifest is either previewed or left out; both lists are in the payload's order.
  for (const olm::PayloadManifest& each : release.payload.manifests) {
    if (object != preview.objects.end() && object->where == each.where) {
      lines.push_back({std::string(NameOf(object->action)), *object});
      ++object;
    } else if (left_out != preview.left_out.end()) {
      PreviewedLine line = {kLeftOut, {}};
      line.object.where = each.where;
      line.object.identity = each.identity;
      line.object.reason = std::string(absl::StripPrefix(
          ToAbsl(left_out->what), ToAbsl(StrCat(each.identity.ToString(), ": "))));
      lines.push_back(std::move(line));
      ++left_out;
    }
  }
  return lines;
}

json::object IdentityJson(const olm::PayloadIdentity& identity, std::string_view where) {
  return {{"where", where},
          {"group", identity.group},
          {"kind", identity.kind},
          {"namespace", identity.ns},
          {"name", identity.name}};
}

std::string Summary(std::string_view version, olm::PayloadState state,
                    const std::vector<std::pair<std::string, size_t>>& counts) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) {
    if (count > 0) parts.push_back(StrCat(name, " ", count));
  }
  return StrCat("Payload ", version, " (", NameOf(state),
                "): ", parts.empty() ? "nothing" : absl::StrJoin(parts, ", "));
}

}  // namespace steward::plugin
