# shellcheck shell=bash
# Checks tools/forbidden_deps.txt against the build graph.

# Prints each forbidden path that exists.
layers() {
  local line from to
  PAIRS=()
  while IFS= read -r line; do
    from=${line%% : *}
    to=${line#* : }
    case "$line" in
      '' | '#'*) ;;
      'each '*' : siblings'*) add_siblings "${from#each }" "${to#siblings}" ;;
      *' : '*) add_pair "$from" "$to" ;;
      *) echo "tools/forbidden_deps.txt: cannot read: $line" ;;
    esac
  done <tools/forbidden_deps.txt

  # One question for all of them; which pair it was is asked only when there is a path.
  local all=${PAIRS[0]} pair path
  for pair in "${PAIRS[@]:1}"; do all+=" + $pair"; done
  path=$(query "$all") || echo "bazel query failed"
  [[ -n "$path" ]] || return 0
  for pair in "${PAIRS[@]}"; do
    path=$(query "$pair")
    [[ -z "$path" ]] || printf 'there must be no %s, but:\n%s\n' "$pair" "$path"
  done
}

query() { bazel query --noshow_progress --ui_event_filters=-info,-warning --order_output=full "$1"; }

# has_targets PATTERN: does the pattern's folder hold a package? Patterns of other repositories always do.
has_targets() {
  local folder=${1#//}
  [[ "$1" == @* ]] && return 0
  folder=${folder%%:*}
  folder=${folder%/...}
  [[ -d "$folder" && -n "$(find "$folder" -name BUILD.bazel -print -quit)" ]]
}

# add_pair FROM TARGETS: appends the query for a path between them to PAIRS.
add_pair() {
  local from=$1 word wanted='' except=''
  has_targets "$from" || return 0
  for word in $2; do
    if [[ "$word" == -* ]]; then
      has_targets "${word#-}" && except+=" except ${word#-}"
    elif has_targets "$word"; then
      wanted+="${wanted:+ + }$word"
    fi
  done
  [[ -n "$wanted" ]] || return 0
  PAIRS+=("somepath(attr(testonly, 0, $from), ($wanted)$except)")
}

add_siblings() {
  local folder=$1 left_out=" $2 " names=() name other others
  [[ -d "$folder" ]] || return 0
  mapfile -t names < <(find "$folder" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort)
  for name in "${names[@]}"; do
    [[ "$left_out" != *" -$name "* ]] || continue
    others=''
    for other in "${names[@]}"; do
      [[ "$other" == "$name" || "$left_out" == *" -$other "* ]] || others+=" //$folder/$other/..."
    done
    add_pair "//$folder/$name/..." "$others"
  done
}
