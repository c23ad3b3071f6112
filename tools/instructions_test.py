#!/usr/bin/env python3
"""Tests of tools/instructions, without a program that it counts."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
PATH = str(pathlib.Path(__file__).resolve().parent / "instructions")
SPEC = importlib.util.spec_from_loader("instructions", importlib.machinery.SourceFileLoader("instructions", PATH))
instructions = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(instructions)

DUMP = """version: 1
desc: Trigger: Client Request: json 16
events: Ir
summary: 4800
totals: 4800
"""


class InstructionsTest(unittest.TestCase):
    def differences(self, expected, counted):
        return list(instructions.differences(expected, counted))

    def test_a_dump_says_what_it_counted(self):
        self.assertEqual(instructions.read_dump(DUMP), ("json", 300))

    def test_the_file(self):
        self.assertEqual(instructions.read_expected(instructions.HEAD + "json 300\ngzip 20\n"), {"json": 300, "gzip": 20})

    def test_a_twentieth_is_tolerated(self):
        self.assertEqual(self.differences({"a": 1000, "b": 1000}, {"a": 1050, "b": 950}), [])

    def test_more_is_slower(self):
        (line,) = self.differences({"json": 1000, "gzip": 20}, {"json": 1051, "gzip": 20})
        self.assertIn("json: 1,051 instructions, expected 1,000 (+5.1%): slower", line)

    def test_less_has_to_be_written_down(self):
        (line,) = self.differences({"json": 100_000}, {"json": 94_900})
        self.assertIn("json: 94,900 instructions, expected 100,000 (-5.1%): faster; run tools/instructions --write", line)

    def test_both_sides_name_the_same_requests(self):
        gone, new = self.differences({"gone": 1}, {"new": 1})
        self.assertIn("gone: bench/instructions.txt expects it", gone)
        self.assertIn("new: bench/instructions.txt lacks it", new)


if __name__ == "__main__":
    unittest.main()
