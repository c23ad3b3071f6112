// The token with which a list in pages continues. A value.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_CONTINUE_TOKEN_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_CONTINUE_TOKEN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apiserver/rest/resource/resource.h"
#include "kube/meta/names.h"

namespace steward::views {

// Every replica can read a token, because it contains everything that a page needs. A forged token
// gains nothing, because each page is authorised as a list. The token has a checksum, which detects
// damage and use with another selection.
struct ContinueToken {
  std::string number;          // of the first page: all pages show its state; "" = the newest
  kube::NamespacedName after;  // the last object that was returned
  // The number of objects still to come; nullopt if they were not counted.
  std::optional<int64_t> left = std::nullopt;

  std::string Encode(const rest::Selection& selection) const;
  // Returns a 400 for text that Encode did not write for this selection.
  static absl::StatusOr<ContinueToken> Decode(std::string_view text,
                                              const rest::Selection& selection);
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_CONTINUE_TOKEN_H_
