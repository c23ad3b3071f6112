"""Checks docs/conformance.md: every requirement has a row, and every test that a row names exists, once.

A row is a line of a Markdown table that begins with a requirement's number:

    | R-004-43 | unit: FooTest.Bar, FooTest.Baz; e2e: TestFoo | a remark |

With --complete it checks that every requirement has a row, and every row a requirement. The requirements live outside of
this repository; without them it exits with 77, which stands for "skipped".
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT.parent / "shared" / "design" / "requirements.md"
TABLE = ROOT / "docs" / "conformance.md"

# The list has one requirement per line; a ruling added later is a bullet.
REQUIREMENT = re.compile(r"^(?:- )?(R-[0-9A-Z]+-[0-9]+[a-z]?)\b", re.MULTILINE)
ROW = re.compile(r"^\|\s*`?(R-[0-9A-Z]+-[0-9]+[a-z]?)`?\s*\|(.*)$")
E2E_TEST = re.compile(r"\bTest[A-Z]\w*")
UNIT_TEST = re.compile(r"\b([A-Z]\w*)\.([A-Z]\w*)\b")
# What a row says instead of naming tests.
NO_TEST = re.compile(r"n/a|not yet", re.IGNORECASE)


def sources(folder, pattern):
    skipped = {".git", "bin"}
    for path in folder.rglob(pattern):
        parts = path.relative_to(ROOT).parts
        if parts[0] not in skipped and not parts[0].startswith("bazel-"):
            yield path.read_text(encoding="utf-8")


def unit_tests():
    macro = re.compile(r"\b(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+)\s*,\s*(\w+)\s*\)")
    return collections.Counter(match for text in sources(ROOT, "*_test.cc") for match in macro.findall(text))


def e2e_tests():
    function = re.compile(r"^func (Test\w+)\(", re.MULTILINE)
    return collections.Counter(name for text in sources(ROOT / "e2e", "*_test.go") for name in function.findall(text))


def parse_rows(problems):
    rows = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        match = ROW.match(line)
        if not match:
            continue
        number, rest = match.groups()
        if number in rows:
            problems.append(f"{number} has two rows")
        rows[number] = rest
    return rows


def check_exists(number, test, count, problems):
    if count == 0:
        problems.append(f"{number} names {test}, which does not exist")
    elif count > 1:
        problems.append(f"{number} names {test}, of which there are {count}: which one proves it?")


def check_row(number, rest, unit, e2e, problems):
    named = 0
    for suite, name in UNIT_TEST.findall(rest):
        named += 1
        check_exists(number, f"the unit test {suite}.{name}", unit[suite, name], problems)
    for name in E2E_TEST.findall(UNIT_TEST.sub("", rest)):
        named += 1
        check_exists(number, f"the e2e test {name}", e2e[name], problems)
    if not named and not NO_TEST.search(rest):
        problems.append(f"{number} names no test, and is neither 'n/a' nor 'not yet'")


def check_rows():
    problems = []
    rows = parse_rows(problems)
    unit, e2e = unit_tests(), e2e_tests()
    for number, rest in rows.items():
        check_row(number, rest, unit, e2e, problems)
    return problems


def check_complete():
    rows = parse_rows([])
    required = dict.fromkeys(REQUIREMENT.findall(REQUIREMENTS.read_text(encoding="utf-8")))
    problems = [f"{number} has no row" for number in required if number not in rows]
    return problems + [f"{number} is no requirement" for number in rows if number not in required]


if __name__ == "__main__":
    COMPLETE = sys.argv[1:] == ["--complete"]
    if COMPLETE and not REQUIREMENTS.exists():
        print(f"{REQUIREMENTS.relative_to(ROOT.parent)} is not beside the repository")
        sys.exit(77)
    PROBLEMS = check_complete() if COMPLETE else check_rows()
    for problem in PROBLEMS:
        print(f"docs/conformance.md: {problem}")
    sys.exit(1 if PROBLEMS else 0)
