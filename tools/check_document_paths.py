"""Names each path in the documents that leads nowhere: links, also to headings, and `paths` and `folder:targets` that begin with a folder of this
tree; in docs/development.md `file.cc` alone, too. Folders that only a build makes (bin/) are left out."""

import glob
import os
import re

TOP = {name for name in os.listdir(".") if os.path.isdir(name) and not name.startswith("bazel-")} - {"bin"}
DOCUMENTS = [d for d in glob.glob("**/*.md", recursive=True) if d.split("/")[0] not in ("bin", "CHANGELOG.md") and "node_modules" not in d]
FILES = {f for top in TOP for _, _, files in os.walk(top) for f in files}


def exists(path, folder):
    path, _, target = path.lstrip("/").partition(":")
    path = path.replace("...", "").rstrip("/")
    if not glob.glob(path) and not glob.glob(os.path.join(folder, path)):
        return False
    build = os.path.join(path, "BUILD.bazel")
    return not target or os.path.exists(build) and f'"{target}"' in open(build, encoding="utf-8").read()


def anchors(document):
    """The names by which the headings of a document are linked to, as GitHub makes them."""
    text = re.sub(r"(?ms)^```.*?^```", "", open(document, encoding="utf-8").read())
    headings = re.findall(r"(?m)^#+ (.*)$", text)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def lost_anchors(line, document):
    for path, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", line):
        target = os.path.join(os.path.dirname(document), path) if path else document
        if target.endswith(".md") and os.path.exists(target) and anchor not in anchors(target):
            yield f"{path}#{anchor}"


for document in sorted(DOCUMENTS):
    folder = os.path.dirname(document)
    for number, line in enumerate(open(document, encoding="utf-8"), 1):
        links = [link for link in re.findall(r"\]\(([^)#]+)", line) if ":" not in link]
        missing = [link for link in links if not os.path.exists(os.path.join(folder, link))]
        for path in re.findall(r"`(?://)?([\w.*-]+[/:](?!:)[\w./*:-]*|[\w.-]+\.(?:cc|h|go|py|bzl|txt))`", line):
            if re.split("[/:]", path)[0] in TOP:
                missing += [] if exists(path, folder) else [path]
            elif "/" not in path and document == "docs/development.md" and not path.startswith("foo"):
                missing += [] if path in FILES else [path]
        missing += lost_anchors(line, document)
        for path in missing:
            print(f"{document}:{number}: there is no {path}")
