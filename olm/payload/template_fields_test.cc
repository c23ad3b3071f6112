#include "olm/payload/template_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace steward::olm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const TemplateFields kFields = {.release_image = "quay.io/r@sha256:1", .profile = "p"};

TEST(TemplateFieldsTest, FillsInWhatIsKnown) {
  for (const auto& [text, right] : std::vector<std::pair<std::string, std::string>>{
           {"image: '{{.ReleaseImage}}'", "image: 'quay.io/r@sha256:1'"},
           {"{{ .ReleaseImage }}{{- .ClusterProfile -}}", "quay.io/r@sha256:1p"},
           {"a {{ $labels.name }} {{", "a {{ $labels.name }} {{"},
           {"{{ .ReleaseImages }} {{ .Release }}", "{{ .ReleaseImages }} {{ .Release }}"},
           {"{{ \"{{ $labels.name }}\" }}", "{{ \"{{ $labels.name }}\" }}"},
           {"", ""}}) {
    const FilledTemplate filled = FillTemplate(text, kFields, /*literals=*/false);
    EXPECT_EQ(filled.text, right);
    EXPECT_THAT(filled.unfilled, IsEmpty()) << text;
  }
}

TEST(TemplateFieldsTest, NamesWhatIsNot) {
  const FilledTemplate filled = FillTemplate(
      "a\nb: {{.ReleaseImage}}\n{{ .ClusterProfile }}\n{{ index .Images \"x\" }}", {}, false);
  EXPECT_THAT(filled.unfilled,
              ElementsAre(UnfilledField{2, ".ReleaseImage"}, UnfilledField{3, ".ClusterProfile"},
                          UnfilledField{4, "index .Images \"x\""}));
  EXPECT_EQ(filled.text,
            "a\nb: {{.ReleaseImage}}\n{{ .ClusterProfile }}\n{{ index .Images \"x\" }}");
}

// The texts are of the cluster-version-operator's own alerts.
TEST(TemplateFieldsTest, Literals) {
  for (const auto& [text, right] : std::vector<std::pair<std::string, std::string>>{
           {R"(risk {{ "{{ $labels.risk }}" }} of {{"x"}}.)", "risk {{ $labels.risk }} of x."},
           {R"({{ "label \"url\"" }})", R"(label "url")"},
           {R"({{ "open)", R"({{ "open)"},
           {R"({{ "a" "b" }})", R"({{ "a" "b" }})"}}) {
    EXPECT_EQ(FillTemplate(text, kFields, /*literals=*/true).text, right);
  }
}

}  // namespace
}  // namespace steward::olm
