"""The headers that most files include, parsed once: a precompiled header of clang's."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        # Its flags name a target.
        unsupported_features = ctx.disabled_features + ["layering_check"],
    )
    out = ctx.actions.declare_file(ctx.label.name + ".pch")

    # Standard input has no path that a later use could miss, and what it includes lies where it lies on every machine.
    # clang takes a precompiled header only for files that are compiled with the same flags.
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        source_file = "-",
        output_file = out.path,
        use_pic = True,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts +
                             (["-fmodules-strict-decluse"] if "layering_check" in ctx.features else []) +
                             ["-xc++-header", "-Xclang", "-fno-pch-timestamp", "-fpch-instantiate-templates"],
    )
    ctx.actions.run_shell(
        command = 'header=$1; shift; "$@" <"$header"',
        arguments = [
            ctx.file.header.path,
            cc_common.get_tool_for_action(feature_configuration = features, action_name = ACTION_NAMES.cpp_compile),
        ] + cc_common.get_memory_inefficient_command_line(
            feature_configuration = features,
            action_name = ACTION_NAMES.cpp_compile,
            variables = variables,
        ),
        inputs = depset([ctx.file.header], transitive = [toolchain.all_files]),
        outputs = [out],
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = ACTION_NAMES.cpp_compile,
            variables = variables,
        ),
        use_default_shell_env = True,
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling %{label}",
    )
    context = cc_common.create_compilation_context(headers = depset([out]))
    return [DefaultInfo(files = depset([out])), CcInfo(compilation_context = context)]

precompiled_header = rule(
    implementation = _impl,
    doc = "Whoever has it in its deps may say `-include-pch` with its file.",
    attrs = {
        "header": attr.label(
            doc = "It includes headers of the system alone, and says so by angle brackets.",
            allow_single_file = [".h"],
            mandatory = True,
        ),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
