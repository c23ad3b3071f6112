#include "kube/client/list_page.h"

#include <simdjson.h>

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

std::string_view TrimRight(std::string_view text) {
  const size_t end = text.find_last_not_of(" \t\r\n");
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

error_code ReadMetadata(ondemand::value metadata, ListPage& page) {
  ondemand::object object;
  if (const error_code error = metadata.get_object().get(object)) return error;
  for (auto field : object) {
    std::string_view key;
    if (const error_code error = field.unescaped_key().get(key)) return error;
    std::string* target = nullptr;
    if (key == "resourceVersion") target = &page.resource_version;
    if (key == "continue") target = &page.continue_token;
    if (target == nullptr) continue;
    std::string_view text;
    if (const error_code error = field.value().get_string().get(text)) return error;
    target->assign(text);
  }
  return simdjson::SUCCESS;
}

error_code ReadItems(ondemand::value items, const std::shared_ptr<const std::string>& body,
                     ListPage& page) {
  bool is_null = false;
  if (const error_code error = items.is_null().get(is_null)) return error;
  if (is_null) return simdjson::SUCCESS;
  ondemand::array array;
  if (const error_code error = items.get_array().get(array)) return error;
  for (auto element : array) {
    ondemand::object object;
    if (const error_code error = element.get_object().get(object)) return error;
    std::string_view json;
    if (const error_code error = object.raw_json().get(json)) return error;
    json = TrimRight(json);
    // When simdjson skips a value, it counts brackets without distinguishing their kinds.
    if (!json.ends_with('}')) return simdjson::TAPE_ERROR;
    page.items.push_back({json, body});
  }
  return simdjson::SUCCESS;
}

// The properties that prove that an answer is a list. Without proof, an empty list must not mean
// that there are no objects (R-000-87).
struct Proof {
  bool is_list = false;
  bool has_items = false;
};

error_code ReadKind(ondemand::value value, Proof& proof) {
  std::string_view kind;
  if (const error_code error = value.get_string().get(kind)) return error;
  proof.is_list = kind.ends_with("List");
  return simdjson::SUCCESS;
}

error_code ReadPage(const std::shared_ptr<const std::string>& body, ListPage& page, Proof& proof) {
  const size_t size = body->size() - RawObject::kPadding;
  ondemand::parser parser;
  ondemand::document document;
  if (const error_code error =
          parser.iterate(simdjson::padded_string_view(body->data(), size, body->size()))
              .get(document)) {
    return error;
  }
  ondemand::object object;
  if (const error_code error = document.get_object().get(object)) return error;
  for (auto field : object) {
    std::string_view key;
    if (const error_code error = field.unescaped_key().get(key)) return error;
    ondemand::value value;
    if (const error_code error = field.value().get(value)) return error;
    error_code error = simdjson::SUCCESS;
    if (key == "kind") {
      error = ReadKind(value, proof);
    } else if (key == "metadata") {
      error = ReadMetadata(value, page);
    } else if (key == "items") {
      error = ReadItems(value, body, page);
      proof.has_items = true;
    }
    if (error) return error;
  }
  // Behind the last token, current_location is out of bounds.
  const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return at_end ? simdjson::SUCCESS : simdjson::TRAILING_CONTENT;
}

}  // namespace

absl::StatusOr<ListPage> ParseListPage(std::shared_ptr<const std::string> body) {
  static_assert(RawObject::kPadding >= simdjson::SIMDJSON_PADDING);
  ListPage page;
  Proof proof;
  if (const error_code error = ReadPage(body, page, proof)) {
    return absl::DataLossError(
        StrCat("the server's answer is not a list: ", simdjson::error_message(error)));
  }
  if (!proof.is_list) {
    return absl::DataLossError("the server's answer is not a list: its kind does not end in List");
  }
  if (!proof.has_items) return absl::DataLossError("the server's list has no items");
  if (page.resource_version.empty()) {
    return absl::DataLossError("the server's list has no metadata.resourceVersion");
  }
  return page;
}

}  // namespace steward::kube
