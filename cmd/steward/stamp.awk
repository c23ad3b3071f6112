# Makes build_stamp.h's function of what tools/workspace_status said. Characters that no such value has are left out.
/^STABLE_STEWARD_/ {
  value = $2
  gsub(/[^A-Za-z0-9.:_+-]/, "", value)
  stamp[substr($1, length("STABLE_STEWARD_") + 1)] = value
}
END {
  print "#include \"cmd/steward/build_stamp.h\"\n\nnamespace steward {\n\nBuildStamp StampOfThisBuild() {"
  printf "  return {\"%s\", \"%s\", \"%s\", \"%s\"};\n", stamp["DESCRIBED"], stamp["COMMIT"], stamp["TREE_STATE"], stamp["COMMIT_DATE"]
  print "}\n\n}  // namespace steward"
}
