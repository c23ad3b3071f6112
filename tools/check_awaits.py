#!/usr/bin/env python3
"""Names each aggregate with designated initialisers that is made within the expression of a co_await: g++ 12 destroys such a temporary
twice. It may be a variable of the line before."""

import re
import subprocess

DESIGNATED = re.compile(r"[{,]\s*\.\w+\s*[={]")
LAMBDA = re.compile(r"\]\s*(\([^()]*\))?[^(){};]*\{")


def operand(code, begin):
    """What a co_await awaits: as far as its parentheses go, or a comma or the end of the statement."""
    depth = 0
    for end in range(begin, len(code)):
        depth += (code[end] in "([{") - (code[end] in ")]}")
        if depth < 0 or depth == 0 and code[end] in ",;":
            return code[begin:end]
    return code[begin:]


def found(text):
    """The numbers of the lines that are meant. What a lambda does there is its own, and not looked at."""
    code = re.sub(r"//[^\n]*", "", text)
    for match in re.finditer(r"\bco_await\b", code):
        awaited = operand(code, match.end())
        if DESIGNATED.search(awaited) and not LAMBDA.search(awaited):
            yield code.count("\n", 0, match.start()) + 1


def main():
    for path in subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "*.cc", "*.h"], text=True).splitlines():
        try:
            text = open(path, encoding="utf-8").read()
        except FileNotFoundError:
            continue
        for line in found(text):
            print(f"{path}:{line}: an aggregate within a co_await; make it a variable of the line before")


if __name__ == "__main__":
    main()
