#!/usr/bin/env python3
"""Writes the `deps` of C++ targets in BUILD files: what their files include decides them, and nothing else does.

    tools/build_deps.py            rewrites what differs
    tools/build_deps.py --check    names the files that differ, and exits 1 if there are some

Lists are filled up to LINE_LENGTH, in every rule. What is linked without being included keeps its place by a comment:

    "//storage/embedded:types",  # linked only
"""

import argparse
import ast
import dataclasses
import os
import pathlib
import re
import sys

LINE_LENGTH = 120
RULES_WITH_DEPS = ("steward_cc_library", "steward_cc_binary", "steward_cc_test", "steward_cc_fuzz")
LINKED_ONLY = "# linked only"

# Which library of third_party/system.BUILD a header of the system belongs to: the longest prefix counts. None is the
# compiler's own and the C library's.
SYSTEM = {
    "absl/": "absl",
    "archive.h": "archive",
    "archive_entry.h": "archive",
    "benchmark/": "benchmark",
    "boost/": "boost",
    "boost/json/": "boost_json",
    "boost/url/": "boost_url",
    "CLI/": "cli11",
    "gmock/": "gtest",
    "google/protobuf/": "protobuf",
    "grpc/": "grpc",
    "grpcpp/": "grpc",
    "grpcpp/ext/proto_server_reflection_plugin.h": "grpc_reflection",
    "gtest/": "gtest",
    "nghttp2/": "nghttp2",
    "openssl/": "openssl",
    "prometheus/": "prometheus",
    "re2/": "re2",
    "simdjson.h": "simdjson",
    "sqlite3.h": "sqlite3",
    "yaml-cpp/": "yaml_cpp",
    "zlib.h": "zlib",
    **dict.fromkeys(["arpa/", "linux/", "netinet/", "sys/", "valgrind/"]),
}
# No folder, and no ending or one of these names: C++'s or C's.
OF_THE_COMPILER = re.compile(r"[a-z_]+|(dirent|dlfcn|fcntl|limits|malloc|poll|pthread|sched|signal|spawn|std[a-z]+|time|unistd)\.h")

# What a rule adds to the deps of its targets.
GIVEN = {"steward_cc_test": {"@system//:gtest"}}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


@dataclasses.dataclass
class Target:
    """A C++ target of a BUILD file. `offered` are paths of headers that others may include."""

    rule: str
    label: str
    folder: str
    call: ast.Call
    testonly: bool
    files: list
    offered: list
    linked_only: list


@dataclasses.dataclass
class Include:
    """A line of a file: `path` is as it stands there, `target` the label that offers it, or None for the compiler's own."""

    file: str
    line: int
    path: str
    target: str


class Tree:
    """The targets of all BUILD files below a folder, and what their files include. Not for threads."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.errors = []
        self.builds = {}  # folder: (text, statements)
        self.targets = []
        self.files = []  # every C++ file
        self._includes = {}
        for folder, folders, names in os.walk(self.root):
            folder = os.path.relpath(folder, self.root)
            folder = "" if folder == "." else folder
            folders[:] = sorted(f for f in folders if f not in ("bin", "node_modules") and not f.startswith((".", "bazel-")))
            if "BUILD.bazel" in names and folder != "third_party":
                self._read_build(folder)
            self.files += sorted(os.path.join(folder, n) for n in names if n.endswith((".cc", ".h")))
        self._offers = {}
        for target in self.targets:
            for path in target.offered:
                self._offers.setdefault(path, []).append(target.label)
        self._having = {}
        for target in self.targets:
            for file in target.files:
                self._having.setdefault(file, []).append(target)
        self.errors += [f"{file}: no target has it" for file in self.files if file not in self._having]

    def _read_build(self, folder):
        text = (self.root / folder / "BUILD.bazel").read_text()
        statements = ast.parse(text).body
        self.builds[folder] = (text, statements)
        default_testonly = False
        for statement in statements:
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
                continue
            call = statement.value
            if call.func.id == "package":
                default_testonly = bool(_constant(call, "default_testonly"))
            elif "cc_" in call.func.id or call.func.id in _MADE or call.func.id == "precompiled_header":
                self.targets.append(_target(folder, call, default_testonly, text))

    def includes_of(self, file):
        """The Includes of a file."""
        if file not in self._includes:
            includes = []
            path = self.root / file
            text = path.read_text() if path.exists() else ""
            for match in INCLUDE.finditer(text):
                line = text.count("\n", 0, match.start(1 if match[1] else 2)) + 1
                included = match[1] or match[2]
                includes.append(Include(file, line, included, self._offering(file, line, included)))
            self._includes[file] = includes
        return self._includes[file]

    def _offering(self, file, line, path):
        offers = self._offers.get(path, [])
        if len(offers) == 1:
            return offers[0]
        if len(offers) > 1:
            own = {target.label for target in self._having[file]}.intersection(offers)
            if own:
                return min(own)
            self.errors.append(f"{file}:{line}: two targets offer {path}: {' and '.join(offers)}")
            return None
        if any(path in target.files for target in self._having.get(file, [])):
            return None  # a header among the sources of its own target
        system = max((prefix for prefix in SYSTEM if path.startswith(prefix)), key=len, default=None)
        if system:
            return SYSTEM[system] and "@system//:" + SYSTEM[system]
        if not OF_THE_COMPILER.fullmatch(path):
            self.errors.append(f"{file}:{line}: no target offers {path}")
        return None

    def includes(self, target):
        """What the files of a target include of others."""
        return [i for file in target.files for i in self.includes_of(file) if i.target and i.target != target.label]

    def deps(self, target):
        """The labels that a target's BUILD file must list, as it writes them, without those that are linked only."""
        wanted = {include.target for include in self.includes(target)} - GIVEN.get(target.rule, set())
        return sorted((_short(label, target.folder) for label in wanted), key=_order)

    def rewritten(self, folder):
        """The text of a folder's BUILD file as it shall be."""
        text, statements = self.builds[folder]
        targets = {id(target.call): target for target in self.targets if target.folder == folder}
        edits = []
        for statement in statements:
            for call in ast.walk(statement):
                if not isinstance(call, ast.Call):
                    continue
                target = targets.get(id(call))
                for keyword in call.keywords:
                    if isinstance(keyword.value, ast.List) and not (target and keyword.arg == "deps"):
                        edits += _packed(text, keyword.value)
                if target and target.rule in RULES_WITH_DEPS:
                    edits += _new_deps(text, target, self.deps(target))
        for begin, end, new in sorted(edits, reverse=True):
            text = text[:begin] + new + text[end:]
        return text


def _stems(kinds):
    return lambda srcs: [re.sub(r"\.proto$", kind, src) for src in srcs for kind in kinds]


# Rules that make headers: of their sources, which.
_MADE = {
    "steward_text_library": lambda srcs: [src + ".inc" for src in srcs],
    "steward_proto_library": _stems([".pb.h"]),
    "steward_grpc_library": _stems([".pb.h", ".grpc.pb.h"]),
    "steward_service_library": _stems([".pb.h", ".grpc.pb.h"]),
}


def _target(folder, call, default_testonly, text):
    rule, name = call.func.id, _constant(call, "name")
    testonly = _constant(call, "testonly")
    if rule in _MADE:
        own = [_constant(call, "src")] if "text" in rule else _strings(call, "srcs") or [name + ".proto"]
        offered = _MADE[rule](own)
        files = []
    else:
        offered = _strings(call, "hdrs") + _strings(call, "textual_hdrs") + _strings(call, "header")
        files = offered + _strings(call, "srcs")
    at = lambda names: [os.path.join(folder, n) for n in names]
    return Target(
        rule=rule,
        label=f"//{folder}:{name}",
        folder=folder,
        call=call,
        testonly=default_testonly if testonly is None else testonly,
        files=at(f for f in files if ":" not in f),
        offered=at(offered),
        linked_only=_linked_only(call, text),
    )


def _keyword(call, name):
    return next((keyword for keyword in call.keywords if keyword.arg == name), None)


def _constant(call, name):
    keyword = _keyword(call, name)
    return keyword.value.value if keyword and isinstance(keyword.value, ast.Constant) else None


def _strings(call, name):
    """All strings of an attribute, those of a select(), too."""
    keyword = _keyword(call, name)
    if not keyword:
        return []
    keys = {id(key) for node in ast.walk(keyword.value) if isinstance(node, ast.Dict) for key in node.keys}
    return [
        node.value
        for node in ast.walk(keyword.value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in keys
    ]


def _linked_only(call, text):
    keyword = _keyword(call, "deps")
    if not keyword:
        return []
    lines = text.splitlines()
    return [
        element.value
        for element in getattr(keyword.value, "elts", [])
        if lines[element.end_lineno - 1].endswith(LINKED_ONLY)
    ]


def _short(label, folder):
    """A label as a BUILD file writes it."""
    path, _, name = label.rpartition(":")
    if path == "//" + folder:
        return ":" + name
    return path if path.rpartition("/")[2] == name and path != "//" else label


def _order(label):
    """Those of the same folder first, the system's last."""
    return label.startswith("@"), not label.startswith(":"), label.replace(":", "\0")


def _offset(text, line, column):
    position = 0
    for _ in range(line - 1):
        position = text.index("\n", position) + 1
    return position + column


def _span(text, node):
    return _offset(text, node.lineno, node.col_offset), _offset(text, node.end_lineno, node.end_col_offset)


def _layout(before, words, after, last=()):
    """A list between the `before` and `after` of its line: in that line, or filled lines. `last` have lines of their own."""
    quoted = [f'"{word}"' for word in words]
    line = "[" + ", ".join(quoted) + "]"
    if not last and len(before + line + after) <= LINE_LENGTH:
        return line
    indent = " " * (len(before) - len(before.lstrip()))
    lines = []
    for word in quoted:
        if lines and len(f"{lines[-1]} {word},") <= LINE_LENGTH:
            lines[-1] += f" {word},"
        else:
            lines.append(f"{indent}    {word},")
    lines += [f'{indent}    "{word}",  {LINKED_ONLY}' for word in last]
    return "[\n" + "\n".join(lines) + f"\n{indent}]"


def _around(text, begin, end):
    return text[text.rfind("\n", 0, begin) + 1 : begin], text[end : text.index("\n", end)]


def _packed(text, node):
    """The edit that fills a list's lines; none where there are comments, or other things than strings."""
    begin, end = _span(text, node)
    if "#" in text[begin:end] or not all(isinstance(e, ast.Constant) for e in node.elts):
        return []
    before, after = _around(text, begin, end)
    return [(begin, end, _layout(before, [e.value for e in node.elts], after))]


def _new_deps(text, target, deps):
    keyword = _keyword(target.call, "deps")
    if keyword and not isinstance(keyword.value, ast.List):
        raise ValueError(f"{target.label}: deps must be a list")
    deps = [label for label in deps if label not in target.linked_only]
    if not deps and not target.linked_only:
        if not keyword:
            return []
        begin = _offset(text, keyword.lineno, 0)
        return [(begin, _offset(text, keyword.end_lineno + 1, 0), "")]
    if keyword:
        begin, end = _span(text, keyword.value)
        before, after = _around(text, begin, end)
        return [(begin, end, _layout(before, deps, after, target.linked_only))]
    end = _span(text, target.call)[1] - 1
    return [(end, end, "    deps = " + _layout("    deps = ", deps, ",") + ",\n")]


def main():
    parser = argparse.ArgumentParser(description="Writes the deps of C++ targets from what their files include.")
    parser.add_argument("--check", action="store_true", help="write nothing; say which files differ")
    check = parser.parse_args().check
    tree = Tree(pathlib.Path(__file__).resolve().parent.parent)
    wrong = []
    for folder in tree.builds:
        new = tree.rewritten(folder)
        if new != tree.builds[folder][0]:
            path = os.path.join(folder, "BUILD.bazel")
            wrong.append(f"{path}: run tools/build_deps.py")
            if not check and not tree.errors:
                (tree.root / path).write_text(new)
    print("\n".join(dict.fromkeys(tree.errors + (wrong if check else []))), end="\n" if tree.errors or (check and wrong) else "")
    return 1 if tree.errors or (check and wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
