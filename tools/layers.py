#!/usr/bin/env python3
"""Checks who includes whom against tools/layers.txt, and the table "Rooms" of docs/architecture.md against the same; says what is wrong."""

import pathlib
import re
import sys

import build_deps

TABLE = "tools/layers.txt"


class Layers:
    """The table: rooms, and what each may use. A room is a line of it, with one folder or several."""

    def __init__(self, text):
        self.lines = {}  # folder: number of its room's line
        self.allowed = {}  # number: {what: used}
        number = 0
        for i, line in enumerate(text.splitlines(), 1):
            line = line.partition("#")[0].rstrip()
            if not line:
                continue
            if not line[0].isspace():
                number, (folders, _, line) = i, line.partition(":")
                self.lines.update(dict.fromkeys(folders.split(), i))
                self.allowed[i] = {}
            self.allowed[number].update(dict.fromkeys(line.split(), False))
        self.tracked = {what for allowed in self.allowed.values() for what in allowed if what.startswith("@")}

    def name(self, number):
        return " ".join(folder for folder, line in self.lines.items() if line == number)

    def folder_of(self, path):
        """The room's folder that a file lies in: the longest counts."""
        return max((f for f in self.lines if path.startswith(f + "/")), key=len, default=None)

    def allow(self, room, path):
        """May the room use the path? What says so is used."""
        for what in self.allowed[room]:
            if what == path or (
                path.startswith(what[:-1])
                if what.endswith("/*")
                else path.startswith(what + "/") and self.folder_of(path) == self.folder_of(what + "/")
            ):
                self.allowed[room][what] = True
                return True
        return False


def check(tree, layers):
    """What is wrong with a Tree by the table."""
    errors, uses = [], {}
    inhabited = set()
    for target in tree.targets:
        if target.testonly or target.rule in ("steward_cc_test", "steward_cc_fuzz", "steward_text_library"):
            continue
        folder = layers.folder_of(target.folder + "/")
        if folder is None:
            errors.append(f"{target.folder}: it needs a line in {TABLE}")
            continue
        inhabited.add(folder)
        room = layers.lines[folder]
        for include in tree.includes(target):
            path = include.path
            if include.target.startswith("@"):
                path = include.target.replace("@system//:", "@").replace("@grpc_reflection", "@grpc")
                if path not in layers.tracked:
                    continue
            else:
                other = layers.lines.get(layers.folder_of(path))
                if other in (room, None):
                    continue
                uses.setdefault(room, {}).setdefault(other, include)
            if not layers.allow(room, path):
                errors.append(f"{include.file}:{include.line}: {layers.name(room)} may not use {path} ({TABLE})")
    for room, allowed in layers.allowed.items():
        errors += [f"{TABLE}:{room}: {layers.name(room)} uses nothing of {what}" for what, used in allowed.items() if not used]
    errors += [f"{TABLE}:{line}: nothing is built in {folder}" for folder, line in layers.lines.items() if folder not in inhabited]
    return list(dict.fromkeys(errors)) + cycle(layers, uses)


def cycle(layers, uses):
    """One cycle of rooms, by the includes that make it."""
    done, path = set(), []

    def visit(room):
        if room in path:
            return path[path.index(room) :] + [room]
        if room in done:
            return None
        path.append(room)
        found = next(filter(None, map(visit, sorted(uses.get(room, {})))), None)
        path.pop()
        done.add(room)
        return found

    found = next(filter(None, map(visit, sorted(layers.allowed))), None) or []
    return [
        f"{uses[a][b].file}:{uses[a][b].line}: {layers.name(a)} and {layers.name(b)} are in a cycle" for a, b in zip(found, found[1:])
    ]


def check_document(layers, text):
    """What the column "may use" of the table "Rooms" says otherwise than the rooms' lines. "all" is not looked at."""
    tops = {folder.split("/")[0] for folder in layers.lines}
    errors = []
    for folder, cell in re.findall(r"^\| `(\w+)/` \|.*\| ([^|]*) \|$", text, re.MULTILINE):
        if folder not in tops or cell == "all":
            continue
        may = {
            what.split("/")[0]
            for f, room in layers.lines.items()
            if f.split("/")[0] == folder
            for what in layers.allowed[room]
            if not what.startswith("@")
        } - {folder}
        said = tops & set(re.findall(r"\w+", re.sub(r"`[^`]*`", "", cell)))
        if may != said:
            errors.append(f"docs/architecture.md: {folder} may use {', '.join(sorted(may)) or 'nothing'}, says {TABLE}")
    return errors


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    layers = Layers((root / TABLE).read_text())
    tree = build_deps.Tree(root)
    errors = check(tree, layers) + check_document(layers, (root / "docs/architecture.md").read_text())
    errors = tree.errors + errors
    if errors:
        print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
