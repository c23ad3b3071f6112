#include "base/tls/pem_files.h"

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/certificate.h"
#include "base/tls/files.h"
#include "base/tls/server_context.h"
#include "base/tls/subject.h"

namespace steward {

absl::Status CheckPemFiles(const PemFiles& files) {
  PemKeyPair pair;
  ASSIGN_OR_RETURN(pair.cert_pem, ReadSmallFile(files.cert_file));
  ASSIGN_OR_RETURN(pair.key_pem, ReadSmallFile(files.key_file));
  if (const absl::Status usable = MakeServerContext(pair, {}).status(); !usable.ok()) {
    return absl::InvalidArgumentError(StrCat(files.cert_file, ": ", ToStd(usable.message())));
  }
  ASSIGN_OR_RETURN(const std::string authorities, ReadSmallFile(files.ca_file));
  if (const absl::Status usable = SubjectOfPem(authorities).status(); !usable.ok()) {
    return absl::InvalidArgumentError(StrCat(files.ca_file, ": ", ToStd(usable.message())));
  }
  return absl::OkStatus();
}

}  // namespace steward
