"""Prints where the time of a run of ./dev test went, and puts the table into a document, between two marks:
times.py LOGS DOCUMENT.

LOGS/totals has a line for each stage, LOGS/STAGE.profile.gz is Bazel's account of one, LOGS/e2e.log and LOGS/e2e.times say
how the stage e2e went.
"""

import collections
import gzip
import json
import os
import re
import sys

KINDS = {"Compiling": "compiling", "Precompiling": "compiling", "Linking": "linking", "Testing": "tests"}


def bazel_minutes(path):
    """Minutes of work by kind, of all actions, of which several go on at a time."""
    seconds = collections.Counter()
    with gzip.open(path, "rt") as profile:
        for event in json.load(profile)["traceEvents"]:
            if event.get("cat") == "action processing":
                kind = KINDS.get(event["name"].split()[0], "other")
                seconds[kind] += event["dur"] / 1e6
    return seconds


def e2e_minutes(logs):
    """The same of the stage e2e: programs that are built, packages that run."""
    seconds = collections.Counter()
    with open(os.path.join(logs, "e2e.times")) as times:
        for line in times:
            what, count = line.split()
            seconds["compiling"] += int(count)
    with open(os.path.join(logs, "e2e.log")) as log:
        for line in log:
            ended = re.match(r"(?:ok|FAIL)\s+\S+/\S*\s+([0-9.]+)s", line)
            if ended:
                seconds["tests"] += float(ended[1])
    return seconds


def table(logs):
    yield "| stage | minutes | of the processors | compiling | linking | running tests | other |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    with open(os.path.join(logs, "totals")) as totals:
        for line in totals:
            name, *_, wall, cpu = line.split()
            profile = os.path.join(logs, name + ".profile.gz")
            if os.path.exists(profile):
                work = bazel_minutes(profile)
            elif name == "e2e":
                work = e2e_minutes(logs)
            else:
                work = collections.Counter()
            cells = ["%.1f" % (work[kind] / 60) if work[kind] else "" for kind in ("compiling", "linking", "tests", "other")]
            yield "| `%s` | %.1f | %.1f | %s |" % (name, int(wall) / 60, int(cpu) / 60, " | ".join(cells))


def main():
    logs, document = sys.argv[1:]
    lines = "\n".join(table(logs))
    print(lines)
    with open(document) as file:
        text = file.read()
    text, count = re.subn(
        r"(<!-- times -->\n).*?(<!-- /times -->)", lambda marks: marks[1] + lines + "\n" + marks[2], text, flags=re.DOTALL
    )
    if count != 1:
        sys.exit("%s has no place for the table" % document)
    with open(document, "w") as file:
        file.write(text)


main()
