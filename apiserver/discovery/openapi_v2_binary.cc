#include "apiserver/discovery/openapi_v2_binary.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <set>

#include "apiserver/discovery/openapi_v2.pb.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::discovery {
namespace {

namespace json = boost::json;
namespace v2 = openapi::v2;

constexpr std::string_view kV3Prefix = "#/components/schemas/";
constexpr char kGvk[] = "x-kubernetes-group-version-kind";
// Schemas with one of these members allow values that kubectl would refuse.
constexpr std::string_view kOpen[] = {"nullable", "x-kubernetes-preserve-unknown-fields",
                                      "x-kubernetes-int-or-string",
                                      "x-kubernetes-embedded-resource"};

class Writer {
 public:
  explicit Writer(const std::vector<json::object>& documents) {
    for (const json::object& document : documents) {
      for (const auto& member : document.at("components").at("schemas").as_object()) {
        names_.emplace(member.key());
      }
    }
  }

  void Write(const json::value& v3, v2::Schema& out) const {
    const json::object* object = v3.if_object();
    if (object == nullptr) return;
    if (const std::string_view name = Referred(*object); !name.empty()) {
      // kubectl reads no member beside a reference.
      out.set_ref(StrCat("#/definitions/", name));
      return;
    }
    out.set_description(std::string(StringAt(*object, "description")));
    if (const json::value* gvk = object->if_contains(kGvk)) {
      v2::NamedAny& extension = *out.add_vendor_extension();
      extension.set_name(kGvk);
      extension.mutable_value()->set_yaml(Serialize(*gvk));
    }
    if (!IsOpen(*object)) WriteType(*object, out);
  }

 private:
  // The name of the schema to which this schema is a reference. "" = it is no reference, or refers
  // to an unknown schema.
  std::string_view Referred(const json::object& v3) const {
    std::string_view ref = StringAt(v3, "$ref");
    if (const json::array* all = ArrayAt(v3, "allOf"); all != nullptr && all->size() == 1) {
      if (const json::object* only = (*all)[0].if_object()) ref = StringAt(*only, "$ref");
    }
    if (!ref.starts_with(kV3Prefix)) return "";
    ref.remove_prefix(kV3Prefix.size());
    return names_.contains(ref) ? ref : "";
  }

  static bool IsOpen(const json::object& v3) {
    for (const std::string_view keyword : kOpen) {
      if (BoolAt(v3, keyword)) return true;
    }
    return false;
  }

  void WriteType(const json::object& v3, v2::Schema& out) const {
    const std::string_view type = StringAt(v3, "type");
    if (type == "object") {
      WriteObject(v3, out);
    } else if (type == "array") {
      const json::object* items = ObjectAt(v3, "items");
      if (items == nullptr) return;
      Write(*items, *out.mutable_items()->add_schema());
    } else if (type != "string" && type != "integer" && type != "number" && type != "boolean") {
      return;
    }
    out.mutable_type()->add_value(std::string(type));
    out.set_format(std::string(StringAt(v3, "format")));
  }

  void WriteObject(const json::object& v3, v2::Schema& out) const {
    const json::object* properties = ObjectAt(v3, "properties");
    if (properties == nullptr) {
      if (const json::object* values = ObjectAt(v3, "additionalProperties")) {
        Write(*values, *out.mutable_additional_properties()->mutable_schema());
      }
      return;
    }
    v2::Properties& named = *out.mutable_properties();
    for (const auto& [name, schema] : *properties) {
      v2::NamedSchema& property = *named.add_additional_properties();
      property.set_name(std::string(name));
      Write(schema, *property.mutable_value());
    }
    const json::array* required = ArrayAt(v3, "required");
    if (required == nullptr) return;
    for (const json::value& name : *required) {
      if (name.is_string()) out.add_required(std::string(name.get_string()));
    }
  }

  std::set<std::string, std::less<>> names_;
};

}  // namespace

std::string OpenApiV2Binary(const std::vector<json::object>& v3_documents,
                            const std::string& document_version) {
  const Writer writer(v3_documents);
  v2::Document document;
  document.set_swagger("2.0");
  document.mutable_info()->set_title("Steward");
  document.mutable_info()->set_version(document_version);
  std::set<std::string_view> written;
  for (const json::object& v3 : v3_documents) {
    for (const auto& [name, schema] : v3.at("components").at("schemas").as_object()) {
      if (!written.emplace(name.data(), name.size()).second) continue;
      v2::NamedSchema& definition = *document.mutable_definitions()->add_additional_properties();
      definition.set_name(std::string(name));
      writer.Write(schema, *definition.mutable_value());
    }
  }
  return document.SerializeAsString();
}

}  // namespace steward::discovery
