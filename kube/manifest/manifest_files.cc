#include "kube/manifest/manifest_files.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"

namespace steward::kube {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSpace = " \t\r\n";

absl::Status CannotRead(const fs::path& path, const std::error_code& error) {
  return absl::ErrnoToStatus(error.value(), StrCat("reading ", path.string()));
}

bool IsHidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool IsManifest(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

absl::Status FindBelow(const fs::path& folder, std::set<std::string>& files) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    if (IsHidden(it->path())) {
      it.disable_recursion_pending();
    } else if (IsManifest(it->path()) && it->is_regular_file(error)) {
      files.insert(it->path().lexically_normal().string());
    }
  }
  return error ? CannotRead(folder, error) : absl::OkStatus();
}

std::string_view Text(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(json::string_view(key.data(), key.size()));
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

// The items of a list (they may be null); nullptr if the object is no list. Clients write an empty
// list's items as null, or leave them out. A kind that ends with "List" is no proof, because other
// objects may have such kinds, too.
json::value* Items(json::object& object) {
  if (!Text(object, "kind").ends_with("List")) return nullptr;
  if (json::value* items = object.if_contains("items")) {
    return items->is_array() || items->is_null() ? items : nullptr;
  }
  const json::value* metadata = object.if_contains("metadata");
  const bool named =
      metadata != nullptr && metadata->is_object() && metadata->get_object().contains("name");
  const size_t others = object.size() - object.contains("apiVersion") - 1;
  if (named || metadata == nullptr || others != 1) return nullptr;
  return &(object["items"] = nullptr);
}

void Append(std::string where, json::value value, Manifests& out);

void AppendItems(const std::string& where, json::object& list, json::array& items, Manifests& out) {
  const std::string kind(Text(list, "kind").substr(0, Text(list, "kind").size() - 4));
  const std::string version(Text(list, "apiVersion"));
  for (size_t i = 0; i < items.size(); ++i) {
    if (json::object* item = items[i].if_object(); item != nullptr && !kind.empty()) {
      if (Text(*item, "kind").empty()) (*item)["kind"] = kind;
      if (Text(*item, "apiVersion").empty()) (*item)["apiVersion"] = version;
    }
    Append(StrCat(where, ", item ", i + 1), std::move(items[i]), out);
  }
}

void Append(std::string where, json::value value, Manifests& out) {
  json::object* object = value.if_object();
  if (object == nullptr) {
    out.problems.push_back({std::move(where), "is not an object"});
  } else if (json::value* items = Items(*object)) {
    if (items->is_array()) AppendItems(where, *object, items->get_array(), out);
    object->erase("items");
    out.lists.push_back({std::move(where), std::move(*object)});
  } else {
    out.objects.push_back({std::move(where), std::move(*object)});
  }
}

// Appends the JSON documents that follow each other in `text`. Returns false, and appends nothing,
// if one of them does not parse.
bool AppendJsonDocuments(std::string_view path, std::string_view text, Manifests& out) {
  JsonLimits limits;
  limits.max_size = kMaxManifestFile;
  json::parse_options options;
  options.max_depth = limits.max_depth;
  Manifests found;
  size_t line = 1;
  while (true) {
    const size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
    line += static_cast<size_t>(std::count(text.begin(), text.begin() + begin, '\n'));
    text.remove_prefix(begin);
    if (text.empty()) break;
    json::stream_parser boundary(json::storage_ptr(), options);
    json::error_code error;
    const size_t length = boundary.write_some(text.data(), text.size(), error);
    if (error || length == 0) return false;
    absl::StatusOr<json::value> value = ParseJson(text.substr(0, length), limits);
    if (!value.ok()) return false;
    Append(StrCat(path, ":", line), *std::move(value), found);
    line += static_cast<size_t>(std::count(text.begin(), text.begin() + length, '\n'));
    text.remove_prefix(length);
  }
  std::move(found.objects.begin(), found.objects.end(), std::back_inserter(out.objects));
  std::move(found.lists.begin(), found.lists.end(), std::back_inserter(out.lists));
  std::move(found.problems.begin(), found.problems.end(), std::back_inserter(out.problems));
  return true;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FindManifests(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    std::set<std::string> files;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      return error.value() == ENOENT || !error
                 ? absl::NotFoundError(StrCat("there is no ", path, " to load"))
                 : CannotRead(path, error);
    }
    if (fs::is_directory(status)) {
      RETURN_IF_ERROR(FindBelow(path, files));
    } else {
      files.insert(fs::path(path).lexically_normal().string());
    }
    for (const std::string& file : files) {
      if (seen.insert(file).second) all.push_back(file);
    }
  }
  return all;
}

absl::StatusOr<std::vector<std::string>> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error)) {
    if (IsHidden(it->path())) continue;
    std::error_code unknown;
    if (it->is_regular_file(unknown) || unknown) files.push_back(it->path().string());
  }
  if (error) return CannotRead(folder, error);
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<std::vector<std::string>> ManifestFilesIn(const std::string& folder) {
  ASSIGN_OR_RETURN(std::vector<std::string> files, FilesIn(folder));
  std::erase_if(files, [](const std::string& file) { return !IsManifest(file); });
  return files;
}

absl::StatusOr<std::string> ReadManifest(const std::string& path, size_t limit) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char buffer[64 << 10];
  while (file && text.size() <= limit) {
    file.read(buffer, sizeof buffer);
    text.append(buffer, static_cast<size_t>(file.gcount()));
  }
  if (text.size() > limit) {
    return absl::ResourceExhaustedError(StrCat("is larger than ", limit, " bytes"));
  }
  if (file.eof()) return text;
  return absl::InternalError(
      StrCat("cannot be read: ", errno == 0 ? "no reason given" : std::strerror(errno)));
}

void ParseManifests(std::string_view path, std::string_view text, Manifests& out) {
  YamlLimits limits;
  limits.max_size = kMaxManifestFile;
  // A file of any name may be JSON. If it does not parse as JSON, the YAML reader tries it: that
  // accepts most of JSON, and says better where a fault is.
  const size_t first = text.find_first_not_of(kSpace);
  if (first != text.npos && (text[first] == '{' || text[first] == '[') &&
      AppendJsonDocuments(path, text, out)) {
    return;
  }
  for (YamlDocument& document : ParseYamlDocuments(text, limits)) {
    std::string where = StrCat(path, ":", document.line);
    if (document.value.ok()) {
      Append(std::move(where), *std::move(document.value), out);
    } else {
      out.problems.push_back({std::move(where), std::string(document.value.status().message())});
    }
  }
}

}  // namespace steward::kube
