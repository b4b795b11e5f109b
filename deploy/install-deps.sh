#!/usr/bin/env bash
# Installs what Yardmaster is built from, out of Debian's own packages. See --help.
set -uo pipefail

# What configuring, building and running the programs needs. clang compiles, with the C++ library that comes with g++; ccache and mold are not
# needed, but make builds faster; the suite `kernels`, with which the quickstart ends, is compiled by g++, tested with GoogleTest and contained by bubblewrap.
build_packages=(
  clang g++ cmake ninja-build ccache mold pkg-config git ca-certificates curl tzdata
  protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libgrpc++-dev libgrpc-dev
  libabsl-dev libre2-dev libpugixml-dev libssl-dev libboost-dev libcurl4-openssl-dev
  libsoci-dev libsqlite3-dev libzstd-dev zlib1g-dev libgit2-dev libjemalloc-dev
  nlohmann-json3-dev libvalijson-dev libcmark-gfm-dev libspdlog-dev libfmt-dev libcli11-dev prometheus-cpp-dev
  libgtest-dev bubblewrap
)
# What unit tests, integration tests, benchmarks and the format check need.
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev clang-format python3 openssl openssh-server nginx-light)
# What our own suites need (tests/suites) where they are run on processors.
suite_packages=(g++ cmake ninja-build libgtest-dev libopenmpi-dev openmpi-bin python3-torch python3-pytest python3-numpy)
# What sanitizers, fuzzing, static analysis and load generation need.
analysis_packages=(libclang-rt-14-dev llvm clang-tidy nghttp2-client wrk)
# What the tests of the image and of the systemd units need; user-mode-linux starts a kernel with control groups of version 2.
packaging_packages=(buildah debootstrap systemd python3 user-mode-linux kmod)
# What programs that were built elsewhere need to run. tests/packaging/ holds this list to what they are linked with.
runtime_packages=(
  ca-certificates libc-ares2 libcmark-gfm0.29.0.gfm.6 libcurl4 libgit2-1.5 libjemalloc2 libprometheus-cpp-core1.0
  libpugixml1v5 libre2-9 libsoci-core4.0 libsoci-sqlite3-4.0 libspdlog1.10 libsqlite3-0 libssl3 libstdc++6 libzstd1
  tzdata zlib1g
)
# What yard-worker uses besides: the sandbox of runs, and git and tar for their sources.
worker_packages=(bubblewrap git tar util-linux)

usage() {
  cat <<'USAGE'
Usage: deploy/install-deps.sh [--with-tests | --with-analysis] [--with-suites] [--with-packaging] [--without-npm] [--check] [--help]
       deploy/install-deps.sh --runtime [--worker] [--check]

Installs the Debian 12 packages that a build of Yardmaster needs and that are missing. Changes nothing when none is
missing. Needs root or sudo only when there is something to install.

  (no option)       what a build of the programs needs
  --with-tests      also what ./tests/run.sh needs
  --with-analysis   also what ./tests/run.sh --full and --long need: sanitizers, clang-tidy, load generators
  --with-suites     also what Yardmaster's own suites need to run on processors: Open MPI and PyTorch, which are large;
                    --with-tests includes them
  --with-packaging  also what the tests of the container image and of the systemd units need: buildah, debootstrap
  --without-npm     not npm: for a build folder that already holds what npm fetches, the sources of tree-sitter and its grammars
  --runtime         only the libraries that programs need if they were built on another machine
  --worker          with --runtime: also the sandbox of yard-worker, and the tools with which it fetches sources
  --check           installs nothing; prints the missing packages, one a line, and exits 1 if there are any
  --help            this text

Exit: 0 everything is there, 1 something is missing or can't be installed (it is named), 2 wrong option.

Examples:
  deploy/install-deps.sh
  deploy/install-deps.sh --with-tests --check
USAGE
}

say() { printf 'install-deps: %s\n' "$*" >&2; }

check_only=false
runtime_only=false
with_npm=true
with_worker=false
wanted=("${build_packages[@]}")
for option in "$@"; do
  case "$option" in
    --with-tests) wanted+=("${test_packages[@]}" "${suite_packages[@]}") ;;
    --with-analysis) wanted+=("${test_packages[@]}" "${suite_packages[@]}" "${analysis_packages[@]}") ;;
    --with-suites) wanted+=("${suite_packages[@]}") ;;
    --with-packaging) wanted+=("${packaging_packages[@]}") ;;
    --without-npm) with_npm=false ;;
    --runtime) runtime_only=true ;;
    --worker) with_worker=true ;;
    --check) check_only=true ;;
    --help | -h) usage; exit 0 ;;
    *) say "unknown option '$option'; see --help"; exit 2 ;;
  esac
done
if $runtime_only; then
  with_npm=false
  if [ ${#wanted[@]} -ne ${#build_packages[@]} ]; then
    say "--runtime stands alone; see --help"
    exit 2
  fi
  wanted=("${runtime_packages[@]}")
  ! $with_worker || wanted+=("${worker_packages[@]}")
elif $with_worker; then
  say "--worker goes with --runtime; see --help"
  exit 2
fi

# The sources of tree-sitter and its grammars come from npm; any npm will do, Debian's or another.
! $with_npm || command -v npm >/dev/null || wanted+=(npm)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  say "no dpkg and apt-get here: this script knows Debian 12 and systems made from it. What has to be there:"
  printf '  %s\n' "${wanted[@]}" >&2
  exit 1
fi

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null | cut -c1-2)" = ii ]; }

# Sets `missing` to those of "$@" that are not installed, each once.
find_missing() {
  local package
  missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
  fi
}

find_missing "${wanted[@]}"
if $check_only; then
  [ ${#missing[@]} -eq 0 ] && exit 0
  printf '%s\n' "${missing[@]}"
  exit 1
fi
if [ ${#missing[@]} -eq 0 ]; then
  say "nothing to do: all packages are installed"
  exit 0
fi

# Root by itself, or sudo; without a terminal sudo must not ask for a password.
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    say "these packages are missing, and neither are we root nor is there sudo: ${missing[*]}"
    exit 1
  fi
  as_root=(sudo)
  [ -t 0 ] || as_root=(sudo -n)
  if ! "${as_root[@]}" true; then
    say "sudo refused; these packages are missing: ${missing[*]}"
    exit 1
  fi
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" </dev/null >&2
}
apt_install() { apt install --no-install-recommends "$@"; }

say "installing: ${missing[*]}"
if ! apt update; then
  say "warning: 'apt-get update' failed; going on with the package lists that are there"
fi
apt_install "${missing[@]}" && { say "done"; exit 0; }

# One package that can't be had makes apt-get refuse them all: take them one by one, so that it can be named and the rest is there.
say "installing them together failed; trying one by one"
find_missing "${wanted[@]}"
failed=()
for package in "${missing[@]}"; do
  apt_install "$package" >/dev/null 2>&1 || failed+=("$package")
done
[ ${#failed[@]} -eq 0 ] && { say "done"; exit 0; }
for package in "${failed[@]}"; do
  say "error: can't install '$package': $(apt_install "$package" 2>&1 | grep -E '^(E|Err):' | tail -1)"
done
say "${#failed[@]} of ${#wanted[@]} packages are missing. Is this Debian 12, are its sources set in /etc/apt, is the network up?"
exit 1
