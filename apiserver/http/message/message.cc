#include "apiserver/http/message/message.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "base/digest/digest.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace {

bool SameName(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(ToAbsl(a), ToAbsl(b));
}

// Includes each certificate's size, so that no two chains give the same text.
std::string DigestOf(const std::vector<std::string>& chain) {
  std::string all;
  for (const std::string& der : chain) StrAppend(&all, der.size(), ":", der);
  return Sha256(all);
}

}  // namespace

PeerCertificates::PeerCertificates(std::vector<std::string> chain)
    : der(std::move(chain)), digest(DigestOf(der)) {}

void Headers::Set(std::string_view name, std::string value) {
  const auto first = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const auto& field) { return SameName(field.first, name); });
  if (first == fields_.end()) {
    fields_.emplace_back(std::string(name), std::move(value));
    return;
  }
  first->second = std::move(value);
  fields_.erase(std::remove_if(first + 1, fields_.end(),
                               [&](const auto& field) { return SameName(field.first, name); }),
                fields_.end());
}

void Headers::Remove(std::string_view name) {
  std::erase_if(fields_, [&](const auto& field) { return SameName(field.first, name); });
}

const std::string* Headers::Find(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (SameName(key, name)) return &value;
  }
  return nullptr;
}

std::vector<std::string_view> Headers::FindAll(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : fields_) {
    if (SameName(key, name)) values.push_back(value);
  }
  return values;
}

const std::string* Request::Query(std::string_view key) const {
  for (const auto& [name, value] : query) {
    if (name == key) return &value;
  }
  return nullptr;
}

size_t OwnBytes(std::span<const Segment> segments) {
  size_t size = 0;
  for (const Segment& segment : segments) {
    if (segment.owner != nullptr && !segment.shared) size += segment.bytes.size();
  }
  return size;
}

Segment OwnedSegment(std::string bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  const std::string_view view = *owner;
  return {view, std::move(owner)};
}

StatusTask Respond(ResponseWriter& writer, int status, std::string_view content_type,
                   std::string body) {
  ResponseHead head;
  head.status = status;
  head.headers.Add("Content-Type", std::string(content_type));
  head.content_length = body.size();
  CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
  if (!body.empty()) {
    std::vector<Segment> segments;
    segments.push_back(OwnedSegment(std::move(body)));
    CO_RETURN_IF_ERROR(co_await writer.Write(std::move(segments)));
  }
  co_return co_await writer.Finish();
}

}  // namespace steward::http
