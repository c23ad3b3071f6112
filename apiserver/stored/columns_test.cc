#include "apiserver/stored/columns.h"

#include <gtest/gtest.h>

#include <string>

#include "base/json/json_text.h"
#include "kube/meta/time.h"

namespace steward::stored {
namespace {

kube::PrinterColumn Column(std::string type, std::string path) {
  kube::PrinterColumn column;
  column.name = "C";
  column.type = std::move(type);
  column.json_path = std::move(path);
  return column;
}

std::string CellsOf(const Columns& columns, const std::string& object) {
  std::string out;
  columns.AppendCells("w", *ParseJson(object), *kube::ParseRfc3339("2024-01-01T00:05:00Z"), out);
  return out;
}

TEST(ColumnsTest, Cells) {
  const struct {
    std::string type, value, want;
  } kRows[] = {
      {"string", R"("a \"b\"")", R"("a \"b\"")"},
      {"string", "3", R"("3")"},
      {"string", "true", R"("true")"},
      {"string", R"([1,{"a":"b"}])", R"("[1,{\"a\":\"b\"}]")"},
      {"string", "null", "null"},
      {"", R"("untyped")", R"("untyped")"},
      {"integer", "3", "3"},
      {"integer", "-9223372036854775808", "-9223372036854775808"},
      {"integer", "18446744073709551615", "18446744073709551615"},
      {"integer", "3.9", "3"},
      {"integer", "1e30", "null"},
      {"integer", R"("3")", "null"},
      {"number", "3", "3"},
      {"number", "0.5", "0.5"},
      {"number", R"("3")", "null"},
      {"boolean", "false", "false"},
      {"boolean", R"("false")", "null"},
      {"date", R"("2024-01-01T00:00:00Z")", R"("5m")"},
      {"date", R"("2023-12-29T21:05:00Z")", R"("2d3h")"},
      {"date", R"("2024-01-01T00:06:00Z")", R"("<invalid>")"},
      {"date", R"("yesterday")", R"("<invalid>")"},
      {"date", "5", "null"},
      {"date", "null", "null"},
  };
  for (const auto& row : kRows) {
    const Columns columns({Column(row.type, ".v")});
    EXPECT_EQ(CellsOf(columns, R"({"v":)" + row.value + "}"), R"(["w",)" + row.want + "]")
        << row.type << " " << row.value;
    EXPECT_EQ(CellsOf(columns, "{}"), R"(["w",null])");
  }
}

TEST(ColumnsTest, AgeWhereThereAreNone) {
  const Columns columns({});
  ASSERT_EQ(columns.definitions().size(), 2u);
  EXPECT_EQ(columns.definitions()[0].name, "Name");
  EXPECT_EQ(columns.definitions()[0].format, "name");
  EXPECT_EQ(columns.definitions()[1].name, "Age");
  EXPECT_EQ(CellsOf(columns, R"({"metadata":{"creationTimestamp":"2024-01-01T00:03:30Z"}})"),
            R"(["w","90s"])");
  EXPECT_EQ(CellsOf(columns, R"({"metadata":{}})"), R"(["w",null])");
}

TEST(ColumnsTest, ABadPathCostsItsOwnCellsOnly) {
  const Columns columns({Column("string", "..x"), Column("string", ".a")});
  EXPECT_EQ(CellsOf(columns, R"({"a":"b","x":"y"})"), R"(["w",null,"b"])");
}

TEST(ColumnsTest, Definitions) {
  kube::PrinterColumn wide = Column("date", ".a");
  wide.priority = 1;
  wide.format = "date-time";
  kube::PrinterColumn described = Column("string", ".b");
  described.description = "What b says.";
  const Columns columns({wide, described});
  ASSERT_EQ(columns.definitions().size(), 3u);
  EXPECT_EQ(columns.definitions()[1].priority, 1);
  EXPECT_EQ(columns.definitions()[1].type, "date");
  EXPECT_EQ(columns.definitions()[1].format, "date-time");
  EXPECT_EQ(columns.definitions()[1].description, "What the object has at .a.");
  EXPECT_EQ(columns.definitions()[2].description, "What b says.");
}

}  // namespace
}  // namespace steward::stored
