"""The project's C++ rules: one place for what every target shares."""

# The system's headers are parsed once for all files.
_PRECOMPILED_DEPS = ["//bazel/precompiled:system"]
_PRECOMPILED_COPTS = ["-include-pch", "$(BINDIR)/bazel/precompiled/system.pch"]

def steward_cc_library(name, deps = [], copts = [], **kwargs):
    """A library. tools/build_deps.py writes its deps."""
    native.cc_library(
        name = name,
        deps = deps + _PRECOMPILED_DEPS,
        copts = copts + _PRECOMPILED_COPTS,
        **kwargs
    )

def steward_cc_binary(name, deps = [], copts = [], **kwargs):
    native.cc_binary(
        name = name,
        deps = deps + _PRECOMPILED_DEPS,
        copts = copts + _PRECOMPILED_COPTS,
        **kwargs
    )

def steward_cc_test(name, deps = [], copts = [], size = "small", **kwargs):
    """A GoogleTest test with the stock main.

    Tag a test "concurrency" when it runs threads: those also run under ThreadSanitizer.
    """
    native.cc_test(
        name = name,
        size = size,
        deps = deps + [
            "@system//:gtest",
            "@system//:gtest_main",
        ] + _PRECOMPILED_DEPS,
        copts = copts + _PRECOMPILED_COPTS,
        **kwargs
    )

def steward_cc_fuzz(name, srcs, deps = [], corpus = None, **kwargs):
    """A fuzz target for one byte parser.

    Under --config=fuzz it links libFuzzer. In every other config it is a test that replays `corpus` and a few
    thousand deterministic mutations of it, so that the parser is exercised on each change.
    """
    data = native.glob([corpus + "/**"]) if corpus else []
    native.cc_test(
        name = name,
        size = "small",
        srcs = srcs,
        args = [native.package_name() + "/" + corpus] if corpus else [],
        data = data,
        linkopts = select({
            "//bazel:fuzz": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        tags = ["fuzz"],
        deps = deps + select({
            "//bazel:fuzz": [],
            "//conditions:default": ["//base/fuzz:replay_main"],
        }) + _PRECOMPILED_DEPS,
        copts = _PRECOMPILED_COPTS,
        **kwargs
    )

def steward_text_library(name, src, **kwargs):
    """A text file for programs to hold: `#include "<folder>/<src>.inc"` stands for its content, as a string literal.

    The text must not hold the delimiter of the literal: `)text"`.
    """
    native.genrule(
        name = name + "_generated",
        srcs = [src],
        outs = [src + ".inc"],
        cmd = "{ printf 'R\"text('; cat $<; printf ')text\"\\n'; } >$@",
        visibility = ["//visibility:private"],
    )
    native.cc_library(name = name, textual_hdrs = [src + ".inc"], **kwargs)
