#include "apiserver/views/virtual_resource/tombstone.h"

#include "apiserver/views/virtual_resource/json_member.h"
#include "base/json/json_text.h"

namespace steward::views {

void Tombstone::AppendJson(std::string_view resource_version, Rope& out) const {
  out.text().append(type_meta_);
  AppendMetadata(resource_version, out);
  out.text().push_back('}');
}

void Tombstone::AppendMetadata(std::string_view resource_version, Rope& rope) const {
  std::string& out = rope.text();
  out.push_back('{');
  AppendMember("name", key_.name, out);
  AppendMember("namespace", key_.ns, out);
  AppendMember("resourceVersion", resource_version, out);
  out.push_back('}');
}

void Tombstone::AppendCells(std::string& out) const {
  out.push_back('[');
  AppendJsonString(key_.name, out);
  for (size_t i = 1; i < columns_; ++i) out.append(R"(,"")");
  out.push_back(']');
}

}  // namespace steward::views
