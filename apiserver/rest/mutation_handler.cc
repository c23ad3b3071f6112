#include "apiserver/rest/mutation_handler.h"

#include <boost/json/object.hpp>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/rest/encoding/encoder.h"
#include "apiserver/rest/negotiation/negotiation.h"
#include "apiserver/rest/parameters/parameters.h"
#include "apiserver/rest/writes/delete_options.h"
#include "apiserver/rest/writes/request_body.h"
#include "apiserver/rest/writes/write_parameters.h"
#include "base/splice/rope.h"
#include "base/status/macros.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"

namespace steward::rest {
namespace {

absl::StatusOr<Encoding> EncodingFor(const Resource& resource, const http::Request& request) {
  Encoding encoding;
  ASSIGN_OR_RETURN(encoding.format, NegotiateResource(request));
  RETURN_IF_ERROR(CheckForm(resource, encoding.format, /*is_list=*/false));
  if (encoding.format.form == Form::kTable) {
    ASSIGN_OR_RETURN(encoding.include_object, ParseIncludeObject(request));
  }
  return encoding;
}

class OneAnswer : public Cursor {
 public:
  explicit OneAnswer(std::unique_ptr<const Object> object) : object_(std::move(object)) {}
  const Object* Next() override { return std::exchange(given_, true) ? nullptr : object_.get(); }

 private:
  const std::unique_ptr<const Object> object_;
  bool given_ = false;
};

// Writes the response; `warnings` are those of the body, sent before those of the result.
StatusTask Answer(const Resource& resource, http::ResponseWriter& writer, Encoding encoding,
                  std::vector<std::string> warnings, WriteResult result) {
  encoding.warnings = std::move(warnings);
  encoding.warnings.insert(encoding.warnings.end(),
                           std::make_move_iterator(result.warnings.begin()),
                           std::make_move_iterator(result.warnings.end()));
  if (!result.status_json.empty()) {
    return WriteDocument(writer, std::move(encoding), std::move(result.status_json));
  }
  return WriteObject(writer, resource, std::move(encoding), std::move(result.reading));
}

}  // namespace

StatusTask ServeCreate(const Resource& resource, Creator& creator, const http::Request& request,
                       http::ResponseWriter& writer) {
  CO_ASSIGN_OR_RETURN(Encoding encoding, EncodingFor(resource, request));
  CO_ASSIGN_OR_RETURN(const BodyFormat body_format,
                      BodyFormatOf(request, resource.accepts_protobuf));
  CO_ASSIGN_OR_RETURN(const WriteParameters parameters, ParseCreateParameters(request));
  CO_ASSIGN_OR_RETURN(Body body, ParseObjectBody(request, body_format, resource.descriptor.gvk,
                                                 parameters.field_validation));
  absl::StatusOr<WriteResult> result =
      co_await creator.Create(request.info.ns, std::move(body.value), parameters.options);
  if (!result.ok()) co_return result.status();
  encoding.status = 201;
  co_return co_await Answer(resource, writer, std::move(encoding), std::move(body.warnings),
                            *std::move(result));
}

StatusTask ServeReview(const Resource& resource, Reviewer& reviewer, const http::Request& request,
                       http::ResponseWriter& writer) {
  CO_ASSIGN_OR_RETURN(Encoding encoding, EncodingFor(resource, request));
  CO_ASSIGN_OR_RETURN(const BodyFormat body_format,
                      BodyFormatOf(request, resource.accepts_protobuf));
  CO_ASSIGN_OR_RETURN(const WriteParameters parameters, ParseCreateParameters(request));
  CO_ASSIGN_OR_RETURN(Body body, ParseObjectBody(request, body_format, resource.descriptor.gvk,
                                                 parameters.field_validation));
  ReviewRequest review;
  review.ns = request.info.ns;
  review.question = std::move(body.value).as_object();
  review.dry_run = parameters.options.dry_run;
  review.field_validation = parameters.field_validation;
  review.audit_id = request.audit_id;
  review.traceparent = request.traceparent;
  CO_ASSIGN_OR_RETURN(ReviewAnswer answer,
                      co_await reviewer.Review(request.user, std::move(review)));
  encoding.status = 201;
  if (resource.columns.empty()) {
    // Kinds without columns have no other forms either.
    encoding.warnings = std::move(body.warnings);
    Rope json;
    answer.object->AppendJson("", json);
    co_return co_await WriteDocument(writer, std::move(encoding), json.Flatten());
  }
  WriteResult result;
  result.warnings = std::move(answer.warnings);
  result.reading.cursor = std::make_unique<OneAnswer>(std::move(answer.object));
  if (answer.columns.empty()) {
    co_return co_await Answer(resource, writer, std::move(encoding), std::move(body.warnings),
                              std::move(result));
  }
  Resource answered = resource;
  answered.columns = std::move(answer.columns);
  co_return co_await Answer(answered, writer, std::move(encoding), std::move(body.warnings),
                            std::move(result));
}

StatusTask ServeUpdate(const Resource& resource, Updater& updater, kube::NamespacedName name,
                       const http::Request& request, http::ResponseWriter& writer) {
  CO_ASSIGN_OR_RETURN(Encoding encoding, EncodingFor(resource, request));
  CO_ASSIGN_OR_RETURN(const BodyFormat body_format,
                      BodyFormatOf(request, resource.accepts_protobuf));
  CO_ASSIGN_OR_RETURN(WriteParameters parameters, ParseUpdateParameters(request));
  CO_ASSIGN_OR_RETURN(Body body, ParseObjectBody(request, body_format, resource.descriptor.gvk,
                                                 parameters.field_validation));
  parameters.options.subresource = request.info.subresource;
  absl::StatusOr<WriteResult> result =
      co_await updater.Update(name, std::move(body.value), parameters.options);
  if (!result.ok()) co_return result.status();
  co_return co_await Answer(resource, writer, std::move(encoding), std::move(body.warnings),
                            *std::move(result));
}

StatusTask ServePatch(const Resource& resource, Patcher& patcher, kube::NamespacedName name,
                      const http::Request& request, http::ResponseWriter& writer) {
  CO_ASSIGN_OR_RETURN(const kube::PatchType type, ParsePatchType(request, resource.patch_types));
  CO_ASSIGN_OR_RETURN(Encoding encoding, EncodingFor(resource, request));
  CO_ASSIGN_OR_RETURN(WriteParameters parameters, ParsePatchParameters(request, type));
  CO_ASSIGN_OR_RETURN(Body body, ParsePatchBody(request, type, parameters.field_validation));
  parameters.options.subresource = request.info.subresource;
  absl::StatusOr<WriteResult> result =
      co_await patcher.Patch(name, type, std::move(body.value), parameters.options);
  if (!result.ok()) co_return result.status();
  co_return co_await Answer(resource, writer, std::move(encoding), std::move(body.warnings),
                            *std::move(result));
}

StatusTask ServeDelete(const Resource& resource, Deleter& deleter, kube::NamespacedName name,
                       const http::Request& request, http::ResponseWriter& writer) {
  CO_ASSIGN_OR_RETURN(Encoding encoding, EncodingFor(resource, request));
  CO_ASSIGN_OR_RETURN(const kube::DeleteOptions options, ParseDeleteOptions(request));
  absl::StatusOr<WriteResult> result = co_await deleter.Delete(name, options);
  if (!result.ok()) co_return result.status();
  std::vector<std::string> none;
  co_return co_await Answer(resource, writer, std::move(encoding), std::move(none),
                            *std::move(result));
}

}  // namespace steward::rest
