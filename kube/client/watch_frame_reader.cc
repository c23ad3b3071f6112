#include "kube/client/watch_frame_reader.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/raw_object.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

constexpr std::string_view kBlank = " \t\r\n";

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(kBlank) == std::string_view::npos;
}

struct Frame {
  std::string type;
  std::string_view object;  // points into the frame
  std::string resource_version;
};

error_code ReadResourceVersion(ondemand::object& object, std::string& out) {
  ondemand::object metadata;
  error_code error = object.find_field_unordered("metadata").get_object().get(metadata);
  if (error == simdjson::NO_SUCH_FIELD) return simdjson::SUCCESS;
  if (error) return error;
  std::string_view text;
  error = metadata.find_field_unordered("resourceVersion").get_string().get(text);
  if (error == simdjson::NO_SUCH_FIELD) return simdjson::SUCCESS;
  if (error) return error;
  out.assign(text);
  return simdjson::SUCCESS;
}

error_code ReadObject(ondemand::value value, Frame& frame) {
  ondemand::object object;
  if (const error_code error = value.get_object().get(object)) return error;
  if (const error_code error = ReadResourceVersion(object, frame.resource_version)) return error;
  if (const error_code error = object.reset().error()) return error;
  if (const error_code error = object.raw_json().get(frame.object)) return error;
  const size_t end = frame.object.find_last_not_of(kBlank);
  frame.object = frame.object.substr(0, end + 1);
  // When simdjson skips a value, it counts brackets without distinguishing their kinds.
  return frame.object.ends_with('}') ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

error_code ReadFrame(ondemand::parser& parser, const RawObject& raw, Frame& frame) {
  ondemand::document document;
  const simdjson::padded_string_view text(raw.json.data(), raw.json.size(),
                                          raw.json.size() + RawObject::kPadding);
  if (const error_code error = parser.iterate(text).get(document)) return error;
  ondemand::object object;
  if (const error_code error = document.get_object().get(object)) return error;
  for (auto field : object) {
    std::string_view key;
    if (const error_code error = field.unescaped_key().get(key)) return error;
    if (key == "type") {
      std::string_view type;
      if (const error_code error = field.value().get_string().get(type)) return error;
      frame.type.assign(type);
    } else if (key == "object") {
      ondemand::value value;
      if (const error_code error = field.value().get(value)) return error;
      if (const error_code error = ReadObject(value, frame)) return error;
    }
  }
  // Behind the last token, current_location is out of bounds.
  const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return at_end ? simdjson::SUCCESS : simdjson::TRAILING_CONTENT;
}

std::optional<WatchEvent::Type> EventType(std::string_view type) {
  if (type == "ADDED") return WatchEvent::Type::kAdded;
  if (type == "MODIFIED") return WatchEvent::Type::kModified;
  if (type == "DELETED") return WatchEvent::Type::kDeleted;
  if (type == "BOOKMARK") return WatchEvent::Type::kBookmark;
  return std::nullopt;
}

absl::Status StatusOfErrorEvent(std::string_view object) {
  absl::StatusOr<Status> status = ParseStatus(object);
  if (status.ok()) return ToStatus(*status);
  return absl::DataLossError("the watch sent an ERROR event without a Status");
}

}  // namespace

struct WatchFrameReader::Decoder {
  ondemand::parser parser;

  absl::StatusOr<WatchEvent> Decode(std::string_view line) {
    RawObject raw = OwnedRawObject(std::string(line));
    Frame frame;
    if (const error_code error = ReadFrame(parser, raw, frame)) {
      return absl::DataLossError(
          StrCat("undecodable watch frame: ", simdjson::error_message(error)));
    }
    if (frame.type == "ERROR") return StatusOfErrorEvent(frame.object);
    const std::optional<WatchEvent::Type> type = EventType(frame.type);
    if (!type) return absl::DataLossError("a watch frame of an unknown type");
    if (frame.resource_version.empty()) {
      return absl::DataLossError("a watch event without metadata.resourceVersion");
    }
    return WatchEvent{*type, std::move(frame.resource_version),
                      RawObject{frame.object, std::move(raw.owner)}};
  }
};

WatchFrameReader::WatchFrameReader(size_t max_frame_bytes)
    : max_frame_bytes_(max_frame_bytes), decoder_(std::make_unique<Decoder>()) {}

WatchFrameReader::~WatchFrameReader() = default;

absl::StatusOr<std::optional<WatchEvent>> WatchFrameReader::Next() {
  while (true) {
    const size_t newline = buffer_.find('\n', std::max(begin_, scanned_));
    const size_t end = newline == std::string::npos ? buffer_.size() : newline;
    if (end - begin_ > max_frame_bytes_) {
      return absl::DataLossError(
          StrCat("a watch frame is longer than ", max_frame_bytes_, " bytes"));
    }
    if (newline == std::string::npos) {
      buffer_.erase(0, begin_);
      begin_ = 0;
      scanned_ = buffer_.size();
      return std::nullopt;
    }
    const std::string_view line(buffer_.data() + begin_, newline - begin_);
    begin_ = scanned_ = newline + 1;
    if (IsBlank(line)) continue;
    ASSIGN_OR_RETURN(WatchEvent event, decoder_->Decode(line));
    return event;
  }
}

absl::Status WatchFrameReader::Finish() const {
  if (IsBlank(std::string_view(buffer_).substr(begin_))) return absl::OkStatus();
  return absl::DataLossError("the watch ended inside a frame");
}

}  // namespace steward::kube
