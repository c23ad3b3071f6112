#include "plugin/command/help.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "base/text/str_cat.h"

namespace steward::plugin {
namespace {

// The column at which descriptions begin.
constexpr size_t kColumn = 34;

// Appends a name and its description; after a long name, the description begins on a new line.
void AppendEntry(std::string_view thing, std::string_view description, std::string& out) {
  std::string line = StrCat("  ", thing);
  if (line.size() + 1 > kColumn) {
    StrAppend(&out, line, "\n");
    line.clear();
  }
  line.resize(kColumn, ' ');
  StrAppend(&out, line, description, "\n");
}

// "-n, --namespace string", and "    --save string".
std::string FlagNames(const CLI::Option& option) {
  std::string names;
  for (const std::string& each : option.get_snames()) StrAppend(&names, "-", each, ", ");
  if (names.empty()) names = "    ";
  std::vector<std::string> longs;
  for (const std::string& each : option.get_lnames()) longs.push_back(StrCat("--", each));
  names += absl::StrJoin(longs, ", ");
  std::string type = option.get_expected_max() == 0 ? "" : option.get_type_name();
  type = absl::AsciiStrToLower(type.substr(0, type.find(':')));
  return type.empty() ? names : StrCat(names, " ", type);
}

// The description, with the default unless that is empty.
std::string Described(const CLI::Option& option) {
  std::string_view description = option.get_description();
  if (description.ends_with(" [false]")) description.remove_suffix(8);
  if (description.ends_with(" [true]")) {
    return StrCat(description.substr(0, description.size() - 7), " (default true)");
  }
  const std::string value = option.get_default_str();
  return value.empty() ? std::string(description) : StrCat(description, " (default ", value, ")");
}

std::vector<const CLI::Option*> Positionals(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string Usage(const CLI::App& app, std::string_view path) {
  std::string usage = StrCat("  ", path);
  if (!app.get_subcommands(nullptr).empty()) StrAppend(&usage, " COMMAND");
  for (const CLI::Option* each : Positionals(app)) {
    const std::string name = each->get_single_name();
    const bool many = each->get_expected_max() > 1;
    const std::string text = StrCat(name, many ? "..." : "");
    StrAppend(&usage, " ", each->get_required() ? text : StrCat("[", text, "]"));
  }
  return StrCat(usage, " [flags]\n");
}

void AppendFlags(const CLI::App& app, std::string& out) {
  for (const std::string& group : app.get_groups()) {
    if (group.empty()) continue;  // hidden
    const auto flags = app.get_options([&group](const CLI::Option* option) {
      return option->get_group() == group && option->nonpositional();
    });
    if (flags.empty()) continue;
    StrAppend(&out, "\n", group == "Options" ? "Flags" : group, ":\n");
    for (const CLI::Option* each : flags) AppendEntry(FlagNames(*each), Described(*each), out);
  }
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode) const {
  std::string path = name.empty() ? program_ : name;
  if (app->get_parent() != nullptr && !path.ends_with(app->get_name())) {
    StrAppend(&path, " ", app->get_name());
  }
  std::string out = StrCat(app->get_description(), "\n");
  if (const auto found = examples_.find(app); found != examples_.end() && !found->second.empty()) {
    StrAppend(&out, "\nExamples:\n");
    for (const Example& each : found->second) {
      StrAppend(&out, "  # ", each.meaning, "\n  ", program_, " ", each.arguments, "\n");
    }
  }
  const auto positionals = Positionals(*app);
  if (!positionals.empty()) StrAppend(&out, "\nArguments:\n");
  for (const CLI::Option* each : positionals) {
    AppendEntry(each->get_single_name(), each->get_description(), out);
  }
  const auto commands = app->get_subcommands(nullptr);
  if (!commands.empty()) StrAppend(&out, "\nCommands:\n");
  for (const CLI::App* each : commands) {
    AppendEntry(each->get_name(), each->get_description(), out);
  }
  AppendFlags(*app, out);
  StrAppend(&out, "\nUsage:\n", Usage(*app, path));
  if (!app->get_footer().empty()) StrAppend(&out, "\n", app->get_footer(), "\n");
  return out;
}

}  // namespace steward::plugin
