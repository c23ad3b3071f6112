// Authentication settings given by flags: CA files, re-read when they change. Thread-safe.
#ifndef APISERVER_FILTERS_AUTHENTICATION_AUTHENTICATION_FILES_H_
#define APISERVER_FILTERS_AUTHENTICATION_AUTHENTICATION_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/filters/authentication/authentication_config.h"
#include "base/clock/clock.h"

namespace steward::filters {

struct AuthenticationFlags {
  std::string client_ca_file;          // "" = not given
  std::string request_header_ca_file;  // "" = not given; the names below are then ignored
  std::vector<std::string> allowed_names;
  std::vector<std::string> username_headers = {"x-remote-user"};
  std::vector<std::string> group_headers = {"x-remote-group"};
  std::vector<std::string> extra_prefixes = {"x-remote-extra-"};
  std::vector<std::string> uid_headers;
};

// Borrows its dependencies.
class AuthenticationFiles {
 public:
  AuthenticationFiles(AuthenticationFlags flags, AuthenticationConfigStore& store, Clock& clock)
      : flags_(std::move(flags)), store_(store), clock_(clock) {}

  // Reads the files and puts the settings in force. The error names the file.
  absl::Status Load();

  // Reads the files again each minute, until cancelled. On failure the last good settings stay.
  VoidTask Poll();

 private:
  const AuthenticationFlags flags_;
  AuthenticationConfigStore& store_;
  Clock& clock_;
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_AUTHENTICATION_FILES_H_
