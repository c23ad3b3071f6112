"""clang-tidy over the sources of targets, without building them: tools/dev/tidy.sh asks for it.

    bazel build --aspects=//bazel:tidy.bzl%tidy --output_groups=tidy //base/...

A file's result is an output like any other: it comes from the cache until the file, a header that it may include, or
.clang-tidy changes. A finding fails the build.
"""

# What .bazelrc says to the compiler, as far as it changes what a file means.
_FLAGS = [
    "-xc++",
    "-std=c++20",
    "-Wall",
    "-Wextra",
    "-Wno-missing-field-initializers",
    "-Wno-unused-private-field",
    "-DBOOST_ASIO_NO_DEPRECATED",
    "-DBOOST_ASIO_NO_TS_EXECUTORS",
]

def _sources(rule, attribute, extension):
    return [
        source
        for target in getattr(rule.attr, attribute, [])
        for source in target.files.to_list()
        if source.is_source and source.extension == extension
    ]

def _tidy_impl(target, ctx):
    if not ctx.rule.kind.startswith("cc_") or target.label.workspace_name:
        return [OutputGroupInfo(tidy = depset())]

    # Findings in a header are shown with each file that includes it. One that no source of its target includes is looked
    # at by itself.
    sources = _sources(ctx.rule, "srcs", "cc")
    own_headers = _sources(ctx.rule, "srcs", "h") + _sources(ctx.rule, "hdrs", "h")
    contexts = [
        dep[CcInfo].compilation_context
        for attribute in ["deps", "implementation_deps"]
        for dep in getattr(ctx.rule.attr, attribute, [])
        if CcInfo in dep
    ]
    inputs = depset(
        own_headers + [ctx.file._config],
        transitive = [context.headers for context in contexts],
    )
    defines = depset(transitive = [context.defines for context in contexts]).to_list()

    outputs = []
    for source in sources or own_headers:
        output = ctx.actions.declare_file("{}.{}.tidy".format(target.label.name, source.basename))
        outputs.append(output)
        ctx.actions.run_shell(
            # What the compiler refuses is a finding, too. How many warnings about others' headers there were says nothing.
            command = """
out=$1 config=$2 source=$3
shift 3
clang-tidy-14 --quiet --config-file="$config" "$source" -- "$@" >"$out" 2>&1 || {
  sed -e "s|^$PWD/\\(\\./\\)\\?||" -e '/^[0-9]* warnings\\? generated[.]$/d' "$out"
  exit 1
}
""",
            arguments = [output.path, ctx.file._config.path, source.path] + _FLAGS +
                        ["-I.", "-isystem", ctx.bin_dir.path] +
                        ["-D" + define for define in defines],
            inputs = depset([source], transitive = [inputs]),
            outputs = [output],
            mnemonic = "ClangTidy",
            progress_message = "clang-tidy %s" % source.short_path,
            use_default_shell_env = True,
        )
    return [OutputGroupInfo(tidy = depset(outputs))]

tidy = aspect(
    implementation = _tidy_impl,
    attrs = {
        "_config": attr.label(default = "//:.clang-tidy", allow_single_file = True),
    },
)
