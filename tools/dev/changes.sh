# shellcheck shell=bash
# What differs from where a change began, and what that concerns: for clang-tidy and for `./dev test --changed`.

# How far back a change may lie on the branch that everybody works from.
readonly CHANGE_COMMITS=3

# change_base: the commit where work on this branch began, which is where it left the branch that was cloned; on that branch
# itself, what it was some merges ago. A shallow clone may know less: the oldest commit that it has. Prints nothing where there
# is no other commit than the last.
change_base() {
  local head base upstream
  head=$(git rev-parse --quiet --verify HEAD 2>/dev/null) || return 0
  upstream=$(git rev-parse --quiet --verify origin/HEAD || git rev-parse --quiet --verify '@{upstream}' 2>/dev/null || true)
  base=$(git merge-base HEAD "${upstream:-HEAD}" 2>/dev/null || echo "$head")
  if [[ "$base" == "$head" ]]; then
    base=$(git rev-list --first-parent --max-count=$((CHANGE_COMMITS + 1)) HEAD | tail -n 1)
  fi
  [[ "$base" == "$head" ]] || echo "$base"
}

# changed_files BASE [PATHSPEC...]: the files of the tree that differ from it, committed or not.
changed_files() {
  local base=$1
  shift
  git diff --name-only --no-renames --diff-filter=d "$base" -- "$@"
  git ls-files --others --exclude-standard -- "$@"
}

# missing_files BASE: the files of it that the tree has no more.
missing_files() { git diff --name-only --no-renames --diff-filter=D "$1"; }

# changed_targets BASE: the targets that depend on what differs, a line each; //... where it is how everything is built.
changed_targets() {
  local file files labels=() folder
  files=$(changed_files "$1" && missing_files "$1") || return
  while IFS= read -r file; do
    case "$file" in
      WORKSPACE | .bazelrc | bazel/* | third_party/* | tools/packages.txt)
        echo //...
        return
        ;;
      */BUILD.bazel)
        folder=${file%/BUILD.bazel}
        [[ ! -f "$file" ]] || labels+=("//$folder:all")
        ;;
      *)
        # The nearest package is the one that it can be a source of.
        folder=$(dirname "$file")
        while [[ "$folder" != . && ! -f "$folder/BUILD.bazel" ]]; do folder=$(dirname "$folder"); done
        if [[ "$folder" == . ]]; then
          continue
        elif [[ -f "$file" ]]; then
          labels+=("//$folder:${file#"$folder"/}")
        else
          labels+=("//$folder:all")
        fi
        ;;
    esac
  done <<<"$files"
  ((${#labels[@]} > 0)) || return 0
  # A file that no target has is no label: the others count.
  bazel query --noshow_progress --keep_going --ui_event_filters=-info,-warning,-error "rdeps(//..., set(${labels[*]}))" |
    grep '^//' || true
}

# console_changed BASE: does the change concern the pages?
console_changed() { grep -q '^console/' <<<"$(changed_files "$1" && missing_files "$1")"; }

# tests_of TARGETS-FILE [TAG]: those of the targets that are tests, or tests of that tag.
tests_of() {
  local tests
  tests="tests(set($(tr '\n' ' ' <"$1")))"
  [[ -z "${2:-}" ]] || tests="attr(tags, '\\b$2\\b', $tests)"
  bazel query --noshow_progress --keep_going --ui_event_filters=-info,-warning "$tests except attr(tags, '\\bmanual\\b', $tests)"
}

# changed_e2e BASE TARGETS-FILE: the packages of e2e that a change concerns (e2e/rooms.txt), as `go test` names them.
changed_e2e() {
  local base=$1 targets=$2 files package words word go_folders
  files=$(changed_files "$base" && missing_files "$base") || return
  if grep -qE '^e2e/(go\.(mod|sum)|build-tools\.sh)$' <<<"$files"; then
    echo ./...
    return
  fi
  {
    # What Go says: packages with a source that differs, and those whose programs or tests are made of one.
    go_folders=$(sed -n 's|^e2e/\(.*\)/[^/]*$|steward.dev/e2e/\1|p' <<<"$files" | sort -u)
    if [[ -n "$go_folders" ]]; then
      go -C e2e list -test -deps -f '{{if not .Standard}}{{.ImportPath}}{{range .Deps}} {{.}}{{end}}{{end}}' ./... |
        awk -v changed="$go_folders" '
          BEGIN { split(changed, names, "\n"); for (i in names) wanted[names[i]] = 1 }
          $1 ~ /^steward\.dev\/e2e/ {
            own = $1; sub(/(\.test|_test)$/, "", own)
            for (i = 1; i <= NF; i++) {
              name = $i; sub(/_test$/, "", name)
              if (name in wanted) print "./" substr(own, length("steward.dev/e2e/") + 1)
            }
          }'
      # Data beside the tests of a package, in folders that are no packages.
      while IFS=/ read -r _ _ package _; do
        ! compgen -G "e2e/$package/*_test.go" >/dev/null || echo "./$package"
      done <<<"$go_folders"
    fi
    while IFS=: read -r package words; do
      for word in $words; do
        if [[ "$word" == //* ]]; then
          word=${word%...}
          grep -qE "^${word%/}(/|:)" "$targets" || grep -qx '//\.\.\.' "$targets" || continue
        else
          grep -qE "^$word" <<<"$files" || continue
        fi
        echo "./$package"
        break
      done
    done < <(grep -v '^#' e2e/rooms.txt)
  } | sort -u
}

# wrong_rooms: what e2e/rooms.txt leaves out, or names though it is not there.
wrong_rooms() {
  local package words word
  while IFS=: read -r package words; do
    compgen -G "e2e/$package/*_test.go" >/dev/null || echo "e2e/rooms.txt: there are no tests in e2e/$package"
    for word in $words; do
      word=${word#//}
      word=${word%...}
      [[ -e "$word" ]] || echo "e2e/rooms.txt: there is no $word"
    done
  done < <(grep -v '^#' e2e/rooms.txt)
  # Packages that run a cluster or Steward itself. What is left tests its own Go code.
  grep -lE '"steward.dev/e2e/(cluster|embedded)"' e2e/*/*_test.go | cut -d / -f 2 | sort -u | while read -r package; do
    grep -q "^$package:" e2e/rooms.txt || echo "e2e/rooms.txt: a line is missing for $package"
  done
}
