#include "base/process/program.h"

#include <sys/stat.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

using End = ProgramResult::End;
using ::testing::EndsWith;
using ::testing::SizeIs;

Program Shell(std::string script) {
  Program program;
  program.command = "sh";
  program.args = {"-c", std::move(script)};
  program.environment = {"PATH=/usr/bin:/bin"};
  return program;
}

TEST(ProgramTest, SaysHowItEnded) {
  struct Row {
    const char* name;
    const char* script;
    End end;
    int code;
    const char* output;
    const char* errors;
  };
  const std::vector<Row> rows = {
      {"success", "echo said; echo meant >&2", End::kExited, 0, "said\n", "meant\n"},
      {"failure", "echo oh >&2; exit 3", End::kExited, 3, "", "oh\n"},
      {"a signal", "kill -TERM $$", End::kKilled, 15, "", ""},
      {"nothing to read", "cat; echo end", End::kExited, 0, "end\n", ""},
      {"closes its output first", "exec >&- 2>&-; exit 4", End::kExited, 4, "", ""},
      {"leaves another behind", "sleep 1000 & echo $! >&2; echo done", End::kExited, 0, "done\n",
       nullptr},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    ASSERT_OK_AND_ASSIGN(const ProgramResult result, RunProgram(Shell(row.script)));
    EXPECT_EQ(result.end, row.end);
    EXPECT_EQ(result.code, row.code);
    EXPECT_EQ(result.output, row.output);
    if (row.errors != nullptr) {
      EXPECT_EQ(result.errors, row.errors);
    } else {
      ::kill(std::stoi(result.errors), SIGKILL);
    }
  }
}

TEST(ProgramTest, IsKilledWhenItRunsTooLong) {
  Program program = Shell("echo waiting >&2; exec sleep 1000");
  program.limit = absl::Milliseconds(200);
  ASSERT_OK_AND_ASSIGN(const ProgramResult result, RunProgram(program));
  EXPECT_EQ(result.end, End::kLate);
}

TEST(ProgramTest, IsKilledWhenItWritesTooMuch) {
  Program program = Shell("yes");
  program.max_output = 100;
  ASSERT_OK_AND_ASSIGN(const ProgramResult result, RunProgram(program));
  EXPECT_EQ(result.end, End::kTooMuchOutput);
  EXPECT_THAT(result.output, SizeIs(100));
}

TEST(ProgramTest, TheEndOfItsErrorsIsKept) {
  ASSERT_OK_AND_ASSIGN(const ProgramResult result,
                       RunProgram(Shell("yes x | head -c 100000 >&2; echo last >&2")));
  EXPECT_THAT(result.errors, SizeIs(ProgramResult::kMaxErrors));
  EXPECT_THAT(result.errors, EndsWith("last\n"));
}

TEST(ProgramTest, GetsItsEnvironmentAndNoMore) {
  Program program = Shell("echo $A-$HOME; ls /proc/self/fd | wc -l");
  program.environment.insert(program.environment.end(), {"A=1", "A=2"});
  const std::ifstream open_file("/proc/self/maps");
  ASSERT_OK_AND_ASSIGN(const ProgramResult result, RunProgram(program));
  EXPECT_EQ(result.output, "2-\n4\n");  // input, output, errors, and the folder itself
}

TEST(ProgramTest, WhatCannotBeStarted) {
  Program program;
  program.command = "no-such-program-of-steward";
  EXPECT_THAT(RunProgram(program), StatusIs(absl::StatusCode::kNotFound));
  program.command = ::testing::TempDir() + "/not-executable";
  std::ofstream(program.command) << "text";
  ::chmod(program.command.c_str(), 0600);
  EXPECT_THAT(RunProgram(program), StatusIs(absl::StatusCode::kPermissionDenied));
  program.command = "/nowhere/program";
  EXPECT_THAT(RunProgram(program), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace steward
