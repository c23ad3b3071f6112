#!/usr/bin/env python3
"""Tests of layers.py, over trees that are made up."""

import unittest

import layers
from build_deps_test import TreeOf, library

BUILDS = {"a/BUILD.bazel": library("a"), "b/BUILD.bazel": library("b"), "b/c/BUILD.bazel": library("c")}
HEADERS = {"a/a.h": "", "b/b.h": '#include "a/a.h"\n', "b/c/c.h": '#include "a/a.h"\n#include "b/b.h"\n'}


class LayersTest(TreeOf):
    def wrong(self, table, more=()):
        tree = self.tree(BUILDS | HEADERS | dict(more))
        errors = layers.check(tree, layers.Layers(table))
        self.assertEqual(tree.errors, [])
        return errors

    def test_what_the_table_says(self):
        self.assertEqual(self.wrong("a :\nb : a\nb/c : a\n  b  # goes on\n"), [])
        self.assertEqual(self.wrong("a :\nb : a\n"), [])  # b/c is a part of b

    def test_what_is_not_allowed(self):
        self.assertEqual(
            self.wrong("a :\nb :\nb/c : a b\n"), ["b/b.h:1: b may not use a/a.h (tools/layers.txt)"]
        )
        self.assertEqual(self.wrong("a :\nb : a\nb/c : a\n"), ["b/c/c.h:2: b/c may not use b/b.h (tools/layers.txt)"])

    def test_what_nobody_uses(self):
        self.assertEqual(self.wrong("a : b\nb : a\nb/c : a b\n"), ["tools/layers.txt:1: a uses nothing of b"])
        self.assertEqual(self.wrong("a :\nb : a\nb/c : a b\nd :\n"), ["tools/layers.txt:4: nothing is built in d"])

    def test_folders_without_a_line(self):
        self.assertIn("b/c: it needs a line in tools/layers.txt", self.wrong("a :\n"))

    def test_parts_headers_and_all_below(self):
        for what in ("b", "b/b.h", "b/*"):
            self.assertEqual(self.wrong(f"a :\nb : a\nb/c : a {what}\n"), [])
        d = {"d/BUILD.bazel": library("d"), "d/d.h": '#include "b/c/c.h"\n'}
        self.assertEqual(self.wrong("a :\nb : a\nd : b/*\nb/c : a b", d), [])
        self.assertEqual(self.wrong("a :\nb : a\nd : b/c", d), [])
        self.assertIn("d/d.h:1: d may not use b/c/c.h (tools/layers.txt)", self.wrong("a :\nb : a\nd : b\nb/c : a b", d))

    def test_libraries_of_the_system(self):
        uses = {"a/a.h": "#include <boost/asio/post.hpp>\n", "b/b.h": '#include "a/a.h"\n#include <boost/asio/post.hpp>\n'}
        table = "a : @boost\nb : a\nb/c : a b\n"
        self.assertEqual(self.wrong(table, uses), ["b/b.h:2: b may not use @boost (tools/layers.txt)"])
        self.assertEqual(self.wrong(table.replace("@boost", ""), uses), [])

    def test_cycles(self):
        uses = {"a/a.h": '#include "b/c/c.h"\n'}
        self.assertEqual(
            self.wrong("a : b/c\nb : a\nb/c : a b\n", uses),
            ["a/a.h:1: a and b/c are in a cycle", "b/c/c.h:1: b/c and a are in a cycle"],
        )
        self.assertEqual(self.wrong("a b/c : b\nb : a\n", uses)[1:], ["b/b.h:1: b and a b/c are in a cycle"])

    def test_tests_may_use_anything(self):
        test = 'steward_cc_library(\n    name = "t",\n    testonly = True,\n    hdrs = ["t.h"],\n)\n'
        self.assertEqual(self.wrong("a :\nb : a\n", {"a/BUILD.bazel": library("a") + test, "a/t.h": '#include "b/b.h"\n'}), [])

    def test_the_document(self):
        table = layers.Layers("a :\nb : a\nb/c : a b\nd : a b\n")
        self.assertEqual(layers.check_document(table, "| `b/` | has b | a |\n| `a/` | has a | – |\n| `d/` | has d | all |\n"), [])
        self.assertEqual(
            layers.check_document(table, "| `d/` | has d | b |\n"), ["docs/architecture.md: d may use a, b, says tools/layers.txt"]
        )


if __name__ == "__main__":
    unittest.main()
