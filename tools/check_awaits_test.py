#!/usr/bin/env python3
"""Tests of check_awaits.py."""

import unittest

import check_awaits


class CheckAwaitsTest(unittest.TestCase):
    def found(self, text):
        return list(check_awaits.found(text))

    def test_aggregates_within_a_co_await(self):
        self.assertEqual(self.found("x;\nco_await F(Options{.a = 1});"), [2])
        self.assertEqual(self.found("co_await F(\n    a, {.a = 1, .b{}});"), [1])
        self.assertEqual(self.found("ASSIGN_OR_RETURN(a, co_await F({.a = 1}));"), [1])

    def test_what_is_none(self):
        self.assertEqual(self.found("F(co_await G(a.b), {.a = 1});"), [])
        self.assertEqual(self.found("const Options o{.a = 1};\nco_await F(o);  // F({.a = 1})"), [])
        self.assertEqual(self.found("co_await F([&](int a) { return G({.a = a}); });"), [])
        self.assertEqual(self.found("co_await a.F({a, b}, c.d);"), [])


if __name__ == "__main__":
    unittest.main()
