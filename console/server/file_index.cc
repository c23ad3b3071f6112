#include "console/server/file_index.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "base/digest/digest.h"
#include "base/splice/gzip.h"
#include "base/status/macros.h"
#include "base/text/hex.h"
#include "base/text/str_cat.h"

namespace steward::console {
namespace {

namespace fs = std::filesystem;

constexpr int kGzipLevel = 6;
constexpr size_t kMinHashDigits = 16;

struct Type {
  std::string_view extension;
  std::string_view media_type;
  bool compressible = false;
};

constexpr Type kTypes[] = {
    {".js", "text/javascript; charset=utf-8", true},
    {".mjs", "text/javascript; charset=utf-8", true},
    {".css", "text/css; charset=utf-8", true},
    {".json", "application/json", true},
    {".map", "application/json", true},
    {".html", "text/html; charset=utf-8", true},
    {".svg", "image/svg+xml", true},
    {".txt", "text/plain; charset=utf-8", true},
    {".png", "image/png"},
    {".woff", "font/woff"},
    {".woff2", "font/woff2"},
    {".ttf", "font/ttf", true},
    {".ico", "image/vnd.microsoft.icon", true},
};
constexpr Type kOther = {"", "application/octet-stream"};

const Type& TypeOf(std::string_view name) {
  const size_t dot = name.rfind('.');
  const std::string_view extension =
      dot == std::string_view::npos ? std::string_view() : name.substr(dot);
  const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const Type& each) { return each.extension == extension; });
  return type == std::end(kTypes) ? kOther : *type;
}

absl::StatusOr<std::string> ReadBytes(const fs::path& file, size_t max_bytes) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (!error && size > max_bytes) return absl::ResourceExhaustedError("too large");
  std::ifstream stream(file, std::ios::binary);
  // Try to read one byte more than the size, because the file may have grown since.
  std::string bytes(error ? 0 : static_cast<size_t>(size) + 1, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (error || stream.bad() || !stream.eof()) {
    return absl::UnavailableError(StrCat("cannot read ", file.string()));
  }
  bytes.resize(static_cast<size_t>(stream.gcount()));
  return bytes;
}

StaticFile MakeFile(std::string_view name, std::string content) {
  const Type& type = TypeOf(name);
  StaticFile file;
  file.content_type = type.media_type;
  file.digest = absl::BytesToHexString(Sha256(content));
  file.immutable = HoldsHash(name);
  if (type.compressible) {
    file.gzip = Gzip(content, kGzipLevel);
    if (file.gzip.size() >= content.size()) file.gzip.clear();
  }
  file.content = std::move(content);
  return file;
}

bool IsBelow(const fs::path& path, const fs::path& root) {
  const auto [rest, unused] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return rest == root.end();
}

// OK if the entry is a file, or a link to a file of the folder. kCancelled for a folder, which is
// skipped, because the iteration visits its files, too.
absl::Status CheckEntry(const fs::directory_entry& entry, const fs::path& root) {
  std::error_code error;
  if (entry.is_symlink(error)) {
    const fs::path target = fs::canonical(entry.path(), error);
    if (error || !IsBelow(target, root)) {
      return absl::FailedPreconditionError(
          StrCat("the link ", entry.path().string(), " leads to no file in that folder"));
    }
    if (!fs::is_regular_file(target, error)) {
      return absl::FailedPreconditionError(
          StrCat("the link ", entry.path().string(), " leads to something other than a file"));
    }
    return absl::OkStatus();
  }
  if (entry.is_directory(error)) return absl::CancelledError();
  if (entry.is_regular_file(error)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      StrCat(entry.path().string(), " is neither a file nor a folder"));
}

}  // namespace

std::string_view ContentTypeOf(std::string_view name) { return TypeOf(name).media_type; }

bool HasFileExtension(std::string_view name) { return &TypeOf(name) != &kOther; }

bool HoldsHash(std::string_view name) {
  size_t digits = 0;
  bool all_digits = true;
  const auto is_hash = [&] { return all_digits && digits >= kMinHashDigits; };
  for (const char c : name) {
    if (c == '.' || c == '-') {
      if (is_hash()) return true;
      digits = 0;
      all_digits = true;
    } else {
      ++digits;
      all_digits = all_digits && HexDigit(c) >= 0;
    }
  }
  return is_hash();
}

absl::StatusOr<FileIndex> FileIndex::Load(const std::string& folder, std::string_view required,
                                          const FileLimits& limits) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error || !fs::is_directory(root, error)) {
    return absl::NotFoundError(StrCat("there is no folder ", folder));
  }
  const auto failed = [&folder](absl::StatusCode code, std::string_view why) {
    return absl::Status(code, StrCat("the files in ", folder, " cannot be served: ", why));
  };
  FileIndex index;
  size_t bytes = 0;
  auto entry = fs::recursive_directory_iterator(root, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const absl::Status status = CheckEntry(*entry, root);
    if (absl::IsCancelled(status)) continue;
    if (!status.ok()) return failed(status.code(), ToStd(status.message()));
    if (index.files_.size() == limits.max_files) {
      return failed(absl::StatusCode::kResourceExhausted,
                    StrCat("there are more than ", limits.max_files));
    }
    absl::StatusOr<std::string> content = ReadBytes(entry->path(), limits.max_bytes - bytes);
    if (absl::IsResourceExhausted(content.status())) {
      return failed(absl::StatusCode::kResourceExhausted,
                    StrCat("they have more than ", limits.max_bytes, " bytes"));
    }
    if (!content.ok()) return failed(content.status().code(), ToStd(content.status().message()));
    bytes += content->size();
    const std::string path = StrCat("/", entry->path().lexically_relative(root).generic_string());
    index.files_.emplace(path, MakeFile(entry->path().filename().string(), *std::move(content)));
  }
  if (error) return failed(absl::StatusCode::kUnavailable, error.message());
  if (index.Find(StrCat("/", required)) == nullptr) {
    return absl::NotFoundError(StrCat("there is no file ", required, " in ", folder));
  }
  return index;
}

const StaticFile* FileIndex::Find(std::string_view path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : &found->second;
}

}  // namespace steward::console
