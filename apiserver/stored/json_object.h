// A stored object as a rest::Object. Not thread-safe.
#ifndef APISERVER_STORED_JSON_OBJECT_H_
#define APISERVER_STORED_JSON_OBJECT_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/stored/columns.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"

namespace steward::stored {

// Passes on the object's own bytes, including its metadata.resourceVersion. So the methods ignore
// their argument resource_version. Parses only the requested parts.
class JsonObject : public rest::Object {
 public:
  // `columns` and `clock` outlive this object.
  JsonObject(kube::RawObject raw, const Columns& columns, const Clock& clock)
      : raw_(std::move(raw)), columns_(columns), clock_(clock) {}

  std::string_view ns() const override { return metadata().ns; }
  std::string_view name() const override { return metadata().name; }
  std::string_view resource_version() const { return metadata().resource_version; }
  void AppendJson(std::string_view resource_version, Rope& out) const override;
  // "{}" for an object without metadata.
  void AppendMetadata(std::string_view resource_version, Rope& out) const override;
  void AppendCells(std::string& out) const override;

  // True when metadata has this annotation, with any value.
  bool HasAnnotation(std::string_view key) const;

 private:
  struct Metadata {
    Metadata() {}  // clang requires a definition within the class
    std::string_view json = "{}";
    std::string ns;
    std::string name;
    std::string resource_version;
  };
  const Metadata& metadata() const;
  void ReadMetadata(Metadata& metadata) const;

  const kube::RawObject raw_;
  const Columns& columns_;
  const Clock& clock_;
  mutable std::optional<Metadata> metadata_;
};

}  // namespace steward::stored

#endif  // APISERVER_STORED_JSON_OBJECT_H_
