#include "controllers/rpc/bridge/page_token.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "base/digest/digest.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

constexpr size_t kLongest = 2048;
constexpr size_t kDigestBytes = 16;

}  // namespace

PageBinding PageBinding::Of(const google::protobuf::Message& request) {
  const std::unique_ptr<google::protobuf::Message> asked(request.New());
  asked->CopyFrom(request);
  for (const char* field : {"page_size", "page_token", "on_behalf_of"}) {
    const auto* descriptor = asked->GetDescriptor()->FindFieldByName(field);
    if (descriptor != nullptr) asked->GetReflection()->ClearField(asked.get(), descriptor);
  }
  // A type's name contains no line break, so different requests have different texts.
  std::string text = StrCat(asked->GetDescriptor()->full_name(), "\n");
  {
    google::protobuf::io::StringOutputStream stream(&text);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    asked->SerializeToCodedStream(&coded);
  }
  const std::string digest = Sha256(text);
  return PageBinding(
      absl::BytesToHexString(ToAbsl(std::string_view(digest).substr(0, kDigestBytes))));
}

absl::Status BadPageToken() {
  return kube::ToStatus(kube::BadRequest("the page token is none that this request was given"));
}

std::string WritePageToken(const PageBinding& binding, std::string_view form,
                           std::initializer_list<std::string_view> parts) {
  std::string text = StrCat(form, "\n", binding.digest());
  for (const std::string_view part : parts) StrAppend(&text, "\n", part);
  return absl::WebSafeBase64Escape(text);
}

absl::StatusOr<std::vector<std::string>> ReadPageToken(std::string_view text,
                                                       const PageBinding& binding,
                                                       std::string_view form, size_t count) {
  std::string plain;
  if (text.size() > kLongest || !absl::WebSafeBase64Unescape(ToAbsl(text), &plain)) {
    return BadPageToken();
  }
  std::vector<std::string> parts = absl::StrSplit(plain, '\n');
  if (parts.size() != count + 2 || parts[0] != form || parts[1] != binding.digest()) {
    return BadPageToken();
  }
  parts.erase(parts.begin(), parts.begin() + 2);
  return parts;
}

}  // namespace steward::rpc
