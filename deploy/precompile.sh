#!/bin/sh
# Launches a compiler and writes NAME.pch.sum beside each NAME.pch, which ccache then hashes instead (CCACHE_PCH_EXTSUM). A .pch holds the
# path of its build folder, so no two clones have the same one; the sum depends on what the headers say only, so clones share what is
# compiled with them. linux/version.h is left out: it changes with each update of Debian's headers of the kernel, which the image gets and this
# machine may not have, and Boost, which reads it, asks for kernels since 2.6 only.
set -e
"$@"
while [ $# -gt 1 ]; do
  case $1 in
    -MF) dependencies=$2 ;;
    -o) output=$2 ;;
  esac
  shift
done
case $output in
  *.pch) sed -e '1s/^[^:]*://' -e 's/\\$//' "$dependencies" | tr -s " " "\n" | grep -vx /usr/include/linux/version.h | xargs cat | sha256sum >"$output.sum" ;;
esac
