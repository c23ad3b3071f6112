"""Reads what `llvm-cov export -summary-only` says of each file, and prints a table of the rooms: lines, and how many ran."""

import collections
import json
import pathlib
import re
import sys

# What tests bring with them is not what they test.
OF_TESTS = re.compile(r"_test\.cc$|_fuzz\.cc$|(^|/)test_[^/]*$|_test_[^/]*$|(^|/)testing/|_fixture\.|_simulation\.")


def main():
    rooms = collections.defaultdict(lambda: [0, 0])
    for file in json.load(sys.stdin)["data"][0]["files"]:
        # Headers of the system have absolute paths.
        name = file["filename"]
        if name.startswith("/") or not pathlib.Path(name).exists() or OF_TESTS.search(name):
            continue
        lines = file["summary"]["lines"]
        for room in (str(pathlib.PurePosixPath(name).parent), "all"):
            rooms[room][0] += lines["count"]
            rooms[room][1] += lines["covered"]
    if not rooms:
        sys.exit("llvm-cov knows no file of this repository")
    everything = rooms.pop("all")
    print(f"{'room':<40} {'lines':>7} {'run':>7}")
    for room, (count, covered) in [*sorted(rooms.items()), ("all", everything)]:
        print(f"{room:<40} {count:>7} {100 * covered / max(count, 1):>6.1f}%")


main()
