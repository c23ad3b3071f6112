#include "apiserver/rest/testing/fake_resource.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "base/async/yield.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

class FakeCursor : public Cursor {
 public:
  FakeCursor(std::vector<const FakeObject*> objects, bool pauses)
      : objects_(std::move(objects)), pauses_(pauses) {}
  const Object* Next() override {
    if (next_ == objects_.size() || (pauses_ && !rested_)) return nullptr;
    rested_ = false;
    return objects_[next_++];
  }
  Task<bool> More() override {
    if (next_ == objects_.size()) co_return false;
    co_await Yield();
    rested_ = true;
    co_return true;
  }

 private:
  std::vector<const FakeObject*> objects_;
  const bool pauses_;
  bool rested_ = false;
  size_t next_ = 0;
};

Reading ReadingOf(std::vector<const FakeObject*> objects, std::string warning,
                  bool pauses = false) {
  return {std::string(FakeResource::kResourceVersion), std::move(warning),
          std::make_unique<FakeCursor>(std::move(objects), pauses)};
}

}  // namespace

FakeObject::FakeObject(std::string ns, std::string name, kube::LabelMap labels, std::string note)
    : ns_(std::move(ns)),
      name_(std::move(name)),
      labels_(std::move(labels)),
      note_(std::move(note)) {}

void FakeObject::AppendJson(std::string_view resource_version, Rope& out) const {
  out.text() += R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":)";
  AppendMetadata(resource_version, out);
  out.text() += R"(,"spec":{"note":)";
  std::string note;
  AppendJsonString(note_, note);
  shares_note_ ? out.Splice(std::move(note)) : (void)(out.text() += note);
  out.text() += "}}";
}

void FakeObject::AppendMetadata(std::string_view resource_version, Rope& rope) const {
  std::string& out = rope.text();
  out += R"({"name":)";
  AppendJsonString(name_, out);
  out += R"(,"namespace":)";
  AppendJsonString(ns_, out);
  StrAppend(&out, R"(,"resourceVersion":")", resource_version, R"(","labels":{)");
  bool first = true;
  for (const auto& [key, value] : labels_) {
    if (!std::exchange(first, false)) out += ',';
    AppendJsonString(key, out);
    out += ':';
    AppendJsonString(value, out);
  }
  out += "}}";
}

void FakeObject::AppendCells(std::string& out) const {
  out += '[';
  AppendJsonString(name_, out);
  StrAppend(&out, ",", note_.size(), "]");
}

FakeResource::FakeResource(std::vector<FakeObject> objects) : objects_(std::move(objects)) {
  std::sort(objects_.begin(), objects_.end(), [](const FakeObject& a, const FakeObject& b) {
    return std::make_tuple(a.ns(), a.name()) < std::make_tuple(b.ns(), b.name());
  });
}

Resource FakeResource::Definition() {
  Resource resource;
  resource.descriptor.gvk = {"example.com", "v1", "Widget"};
  resource.descriptor.plural = "widgets";
  resource.descriptor.singular = "widget";
  resource.descriptor.short_names = {"wd"};
  resource.descriptor.categories = {"all"};
  resource.columns = {{"Name", "string", "name", "The name.", 0},
                      {"Length", "integer", "", "Length of the note, <= 64 KiB.", 1}};
  resource.openapi_schema = R"json({
    "description": "Widget is a note with a name.", "type": "object",
    "properties": {
      "apiVersion": {"type": "string", "description": "Group and version."},
      "kind": {"type": "string", "description": "Widget."},
      "metadata": {"description": "The usual.", "default": {}, "allOf": [
          {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]},
      "spec": {"type": "object", "description": "What it says.", "properties": {
          "note": {"type": "string", "description": "The note."}}}}})json";
  resource.get = this;
  resource.list = this;
  resource.subresources = {{"picture", this}};
  return resource;
}

Task<Reading> FakeResource::Get(const kube::NamespacedName& name, const ReadOptions& options) {
  ++calls_;
  last_options_ = options;
  if (!failure_.ok()) co_return failure_;
  for (const FakeObject& object : objects_) {
    if (object.ns() == name.ns && object.name() == name.name)
      co_return ReadingOf({&object}, warning_);
  }
  co_return kube::ToStatus(kube::NotFound(Definition().descriptor.gvr(), name.name));
}

Task<Reading> FakeResource::List(const Selection& selection, const ReadOptions& options) {
  ++calls_;
  last_selection_ = selection;
  last_options_ = options;
  if (!failure_.ok()) co_return failure_;
  std::vector<const FakeObject*> selected;
  for (const FakeObject& object : objects_) {
    if (!selection.ns.empty() && object.ns() != selection.ns) continue;
    if (!selection.labels.Matches(object.labels())) continue;
    const bool fields = selection.fields.Matches([&](std::string_view path) {
      return path == "metadata.name" ? object.name() : object.ns();
    });
    if (fields) selected.push_back(&object);
  }
  co_return ReadingOf(std::move(selected), warning_, pauses_);
}

Task<Blob> FakeResource::GetBlob(const kube::NamespacedName& name) {
  ++calls_;
  if (!failure_.ok()) co_return failure_;
  co_return Blob{"image/png", "\"" + name.name + "\"", "pixels of " + name.name};
}

}  // namespace steward::rest
