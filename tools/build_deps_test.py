#!/usr/bin/env python3
"""Tests of build_deps.py, over trees that are made up."""

import pathlib
import tempfile
import unittest

import build_deps


class TreeOf(unittest.TestCase):
    def tree(self, files):
        """A tree of files: {path: text}."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for path, text in files.items():
            path = pathlib.Path(folder.name) / path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return build_deps.Tree(folder.name)

    def rewritten(self, files, folder):
        tree = self.tree(files)
        text = tree.rewritten(folder)
        self.assertEqual(tree.errors, [])
        return text


def library(name, more=""):
    return f'steward_cc_library(\n    name = "{name}",\n    hdrs = ["{name}.h"],\n{more})\n'


class BuildDepsTest(TreeOf):
    def test_includes_become_deps(self):
        files = {
            "a/BUILD.bazel": library("a"),
            "a/a.h": "",
            "b/BUILD.bazel": library("b", "    # why\n    tags = [\n        \"x\",\n    ],\n") + library("c"),
            "b/b.h": '#include "a/a.h"\n#include "b/c.h"\n#include <vector>\n#include <boost/json/value.hpp>\n',
            "b/c.h": "#include <boost/asio/post.hpp>\n#include <unistd.h>\n",
        }
        self.assertEqual(
            self.rewritten(files, "b"),
            library("b", '    # why\n    tags = ["x"],\n    deps = [":c", "//a", "@system//:boost_json"],\n')
            + library("c", '    deps = ["@system//:boost"],\n'),
        )
        self.assertEqual(self.rewritten(files, "a"), files["a/BUILD.bazel"])

    def test_deps_that_nothing_includes_go_and_what_is_linked_only_stays(self):
        deps = '    deps = [\n        "//a",\n        "//kept",  # linked only\n    ],\n'
        self.assertEqual(
            self.rewritten({"b/BUILD.bazel": library("b", deps), "b/b.h": ""}, "b"), library("b", deps.replace('        "//a",\n', ""))
        )
        self.assertEqual(self.rewritten({"b/BUILD.bazel": library("b", '    deps = ["//a"],\n'), "b/b.h": ""}, "b"), library("b"))

    def test_long_lists_are_filled(self):
        names = [f"name_of_a_header_{i}" for i in range(10, 17)]
        files = {f"b/{name}.h": "" for name in names} | {"b/b.h": "".join(f'#include "b/{name}.h"\n' for name in names)}
        text = self.rewritten(files | {"b/BUILD.bazel": library("b") + "".join(map(library, names))}, "b")
        deps = text[text.index("deps") :].split("\n", 4)[:4]
        self.assertEqual([line.count(":") for line in deps], [0, 4, 3, 0])
        self.assertTrue(all(len(line) <= build_deps.LINE_LENGTH for line in deps))

    def test_generated_headers(self):
        files = {
            "p/BUILD.bazel": 'steward_service_library(name = "s")\nsteward_text_library(\n    name = "t",\n    src = "t.yaml",\n)\n',
            "b/BUILD.bazel": library("b"),
            "b/b.h": '#include "p/s.grpc.pb.h"\n#include "p/t.yaml.inc"\n',
        }
        self.assertIn('deps = ["//p:s", "//p:t"],', self.rewritten(files, "b"))

    def test_tests_are_given_their_framework(self):
        test = 'steward_cc_test(\n    name = "t",\n    srcs = ["t.cc"],\n)\n'
        self.assertEqual(self.rewritten({"b/BUILD.bazel": test, "b/t.cc": "#include <gtest/gtest.h>\n"}, "b"), test)

    def test_headers_that_nobody_or_two_offer(self):
        both = library("a") + library("a").replace('"a"', '"again"', 1)
        tree = self.tree({"a/BUILD.bazel": both, "a/a.h": "", "b/BUILD.bazel": library("b"), "b/b.h": '\n#include "a/a.h"\n#include "a/x.h"\n'})
        tree.rewritten("b")
        self.assertEqual(
            tree.errors, ["b/b.h:2: two targets offer a/a.h: //a:a and //a:again", "b/b.h:3: no target offers a/x.h"]
        )

    def test_headers_among_the_sources_are_their_targets_own(self):
        own = library("a").replace("hdrs", 'srcs = ["p.h"],\n    hdrs')
        files = {"a/BUILD.bazel": own + library("b"), "a/p.h": "", "a/a.h": '#include "a/p.h"\n', "a/b.h": '#include "a/p.h"\n'}
        tree = self.tree(files)
        tree.rewritten("a")
        self.assertEqual(tree.errors, ["a/b.h:1: no target offers a/p.h"])

    def test_files_without_a_target(self):
        self.assertEqual(self.tree({"a/BUILD.bazel": "", "a/a.cc": ""}).errors, ["a/a.cc: no target has it"])


if __name__ == "__main__":
    unittest.main()
