// Reads gzip back, for tests.
#ifndef APISERVER_REST_TESTING_GUNZIP_H_
#define APISERVER_REST_TESTING_GUNZIP_H_

#include <optional>
#include <string>
#include <string_view>

namespace steward::rest {

// Nullopt unless `input` is exactly one intact gzip member.
std::optional<std::string> Gunzip(std::string_view input);

}  // namespace steward::rest

#endif  // APISERVER_REST_TESTING_GUNZIP_H_
