#include "plugin/command/completion.h"

#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <string>
#include <vector>

namespace steward::plugin {
namespace {

using Names = Completion::Names;

// A command with an argument for a ClusterServiceVersion or several, or for a folder.
class Listed : public Command {
 public:
  explicit Listed(const char* argument) : argument_(argument) {}
  void AddFlags(CLI::App& app) override {
    CLI::Option* option = app.add_option(argument_, words_, "An argument");
    if (argument_ != "CSVS") option->expected(1);
    app.add_flag("--dry-run", dry_run_, "Change nothing");
  }
  StatusTask Run(Session&) override { co_return absl::OkStatus(); }

 private:
  const std::string argument_;
  std::vector<std::string> words_;
  bool dry_run_ = false;
};

KnownCommand Known(const char* name, const char* argument) {
  return {.name = name,
          .description = std::string("What ") + name + " does",
          .report = "Report",
          .make = [argument] { return std::make_unique<Listed>(argument); }};
}

const std::vector<KnownCommand>& Commands() {
  static const auto& known = *new std::vector<KnownCommand>{
      Known("status", "CSV"),
      Known("restore", "DIR"),
      {.name = "preview", .description = "Previews", .commands = {Known("plan", "PLAN")}}};
  return known;
}

struct Row {
  const char* name;
  std::vector<std::string> words;
  const char* text;  // with the names "alpha" and "beta"
  Names names;
  const char* ns = "";
};

TEST(CompletionTest, WhatMayComeNext) {
  const std::vector<Row> rows = {
      {"a command",
       {""},
       "status\tWhat status does\nrestore\tWhat restore does\npreview\tPreviews\n"
       "alpha\nbeta\n:4\n",
       Names::kNone},
      {"a command that is begun", {"re"}, "restore\tWhat restore does\n:4\n", Names::kNone},
      {"one of a group", {"preview", "p"}, "plan\tWhat plan does\n:4\n", Names::kNone},
      {"an operator", {"status", ""}, "alpha\nbeta\n:4\n", Names::kCsvs},
      {"one that is begun", {"status", "al"}, "alpha\n:4\n", Names::kCsvs},
      {"with its kind", {"status", "csv/al"}, "csv/alpha\n:4\n", Names::kCsvs},
      {"in a namespace", {"status", "-n", "ops", "b"}, "beta\n:4\n", Names::kCsvs, "ops"},
      {"in a namespace, together", {"-nops", "status", "b"}, "beta\n:4\n", Names::kCsvs, "ops"},
      {"nothing more", {"status", "alpha", ""}, "alpha\nbeta\n:4\n", Names::kNone},
      {"a plan", {"preview", "plan", ""}, "alpha\nbeta\n:4\n", Names::kInstallPlans},
      {"a folder", {"restore", ""}, "alpha\nbeta\n:0\n", Names::kNone},
      {"a namespace", {"status", "-n", "b"}, "beta\n:4\n", Names::kNamespaces},
      {"a namespace behind a sign",
       {"status", "--namespace=b"},
       "--namespace=beta\n:4\n",
       Names::kNamespaces},
      {"a context", {"status", "--context", ""}, "alpha\nbeta\n:4\n", Names::kContexts},
      {"a form", {"status", "-o", "j"}, "json\njsonpath=\njsonpath-as-json=\n:4\n", Names::kNone},
      {"a flag", {"status", "--dry"}, "--dry-run\tChange nothing\n:4\n", Names::kNone},
      {"an unknown flag", {"status", "--nope", "x", "a"}, "alpha\n:4\n", Names::kNone},
      {"behind what cannot be", {"status", "-n", "a/b", ""}, "alpha\nbeta\n:4\n", Names::kNone},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Completion completion = Complete(Commands(), row.words);
    EXPECT_EQ(completion.names, row.names);
    EXPECT_EQ(completion.common.ns, row.ns);
    EXPECT_EQ(CompletionText(completion, {"alpha", "beta"}), row.text);
  }
}

}  // namespace
}  // namespace steward::plugin
