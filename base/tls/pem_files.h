// PEM files of one side of a mutual TLS connection. Stateless.
#ifndef BASE_TLS_PEM_FILES_H_
#define BASE_TLS_PEM_FILES_H_

#include <string>

#include "absl/status/status.h"

namespace steward {

struct PemFiles {
  std::string cert_file;
  std::string key_file;
  std::string ca_file;  // the authorities of the other side
};

// Checks what gRPC does not report: whether the files can be read, the key belongs to the
// certificate, and there is an authority. An error names the file; kNotFound when it does not exist
// (yet).
absl::Status CheckPemFiles(const PemFiles& files);

}  // namespace steward

#endif  // BASE_TLS_PEM_FILES_H_
