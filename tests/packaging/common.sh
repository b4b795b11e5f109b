# shellcheck shell=bash
# What the scripts of this folder begin with; they source it. $root: the source tree.
set -uo pipefail
exec </dev/null

# shellcheck disable=SC2034  # Read by those who source this.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P) || exit 1
begun=$SECONDS
step() { printf '\n== %3d s  %s\n' $((SECONDS - begun)) "$*"; }
fail() { printf 'FAILED: %s\n' "$*"; exit 1; }

# only_help "$@": of a script whose only option is --help, answered by its function usage.
only_help() {
  case "${1:-}" in
    '') ;;
    --help | -h) usage; exit 0 ;;
    *) echo "${0##*/}: unknown option '$1'; see --help" >&2; exit 2 ;;
  esac
}

# need TOOL...: without them the script can't run here.
need() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
  done
}
