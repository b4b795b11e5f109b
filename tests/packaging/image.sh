#!/usr/bin/env bash
# Builds the image of the Dockerfile with buildah and runs its daemon. See --help.
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" || exit 1

usage() {
  cat <<'USAGE'
Usage: tests/packaging/image.sh [--help]

Builds the Dockerfile with buildah, starts the image's own command and looks whether the daemon in it becomes ready, is
not root, answers its health check, decides an issue, takes a signed webhook and ends with 0 on SIGTERM. Needs root,
buildah and debootstrap (deploy/install-deps.sh --with-packaging), but no registry, no namespaces of its own, no cgroups:
the base image is made by debootstrap from the sources of this system's apt. Nothing is left behind.

Environment:
  YARD_IMAGE_BASE   base image from a registry, in place of the one that debootstrap makes
  TMPDIR            where the images are kept meanwhile, about 4 GB (default /var/tmp)
  CCACHE_DIR        as for ccache; the builder stage reads and fills this cache

Exit: 0 passed, 1 failed, 2 wrong option, 77 can't run here.
USAGE
}
only_help "$@"
cd "$root" || exit 1
[ "$(id -u)" -eq 0 ] || { echo "needs root"; exit 77; }
need buildah debootstrap python3

# --- a storage of our own, so that nobody's images are touched ---------------------------------------------------------

scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/yard-image.XXXXXX") || exit 1
daemon_pid=
cleanup() {
  [ -z "$daemon_pid" ] || kill -KILL "$daemon_pid" 2>/dev/null
  yard_buildah umount --all >/dev/null 2>&1
  yard_buildah rm --all >/dev/null 2>&1
  umount "$scratch/storage/overlay" 2>/dev/null
  rm -rf --one-file-system "$scratch"
}
driver=overlay
# Nothing of the host's configuration of containers counts, and every container shares the host's network.
yard_buildah() { TMPDIR=$scratch buildah --root "$scratch/storage" --runroot "$scratch/run" --storage-driver "$driver" "$@"; }
trap cleanup EXIT
trap 'exit 130' INT TERM

# Layers that share files are fast; where the file system can't do that, they are copied.
if ! { probe=$(yard_buildah from scratch) && yard_buildah mount "$probe" && yard_buildah rm "$probe"; } >/dev/null 2>&1; then
  yard_buildah rm --all >/dev/null 2>&1
  rm -rf --one-file-system "$scratch/storage" "$scratch/run"
  driver=vfs
fi
echo "$(buildah --version), storage driver $driver"

# --- base image -------------------------------------------------------------------------------------------------------

# Debian's package sources as this system has them: URI, suite, component.
debian_sources() {
  # shellcheck disable=SC2016  # apt's variables, not the shell's.
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' 2>/dev/null |
    awk '$4 == "Debian" && $2 ~ /^bookworm/ { print $1, $2, $3 }' | sort -u
}

# What reaches those sources from here: proxies, time-outs, checks of dates.
apt_connection() { apt-config dump | grep -E '^Acquire::(http|https|Check-|ForceIPv|Retries|Max-FutureTime)'; }

make_base() {
  local container mount mirror sources
  sources=$(debian_sources)
  mirror=$(awk '$2 == "bookworm" && $3 == "main" { print $1; exit }' <<<"$sources")
  if [ -z "$mirror" ]; then
    mirror=http://deb.debian.org/debian
    sources="$mirror bookworm main"
  fi
  local http_proxy=${http_proxy:-} https_proxy=${https_proxy:-} proxy
  proxy=$(apt-config shell value Acquire::http::Proxy | sed -n "s/^value='\(.*\)'$/\1/p")
  [ -z "$proxy" ] || http_proxy=$proxy
  proxy=$(apt-config shell value Acquire::https::Proxy | sed -n "s/^value='\(.*\)'$/\1/p")
  [ -z "$proxy" ] || https_proxy=$proxy
  export http_proxy https_proxy

  container=$(yard_buildah from scratch) && mount=$(yard_buildah mount "$container") || return 1
  debootstrap --variant=minbase bookworm "$mount" "$mirror" >"$scratch/debootstrap.log" 2>&1 || {
    tail -20 "$scratch/debootstrap.log" "$mount/debootstrap/debootstrap.log" 2>/dev/null
    return 1
  }
  printf 'deb %s\n' "${sources//$'\n'/$'\n'deb }" >"$mount/etc/apt/sources.list" || return 1
  apt_connection >"$mount/etc/apt/apt.conf.d/90connection"
  # As the images of registries have it: no manuals, no packages kept, and no waiting for the disk.
  echo force-unsafe-io >"$mount/etc/dpkg/dpkg.cfg.d/speedup"
  printf 'path-exclude /usr/share/%s/*\n' man locale doc >"$mount/etc/dpkg/dpkg.cfg.d/excludes"
  rm -rf "$mount"/var/cache/apt/archives/*.deb "$mount"/var/lib/apt/lists/*
  yard_buildah umount "$container" >/dev/null &&
    yard_buildah commit --format docker --quiet --rm "$container" localhost/yardmaster-base:bookworm >/dev/null
}

base=${YARD_IMAGE_BASE:-}
if [ -z "$base" ]; then
  step "base image by debootstrap"
  make_base || fail "making the base image"
  base=localhost/yardmaster-base:bookworm
fi

# --- image ------------------------------------------------------------------------------------------------------------

step "image"
# The sources lie in the builder where they lie here: so it finds in the cache what the release build has compiled.
arguments=(--build-arg "BASE=$base" --build-arg "SOURCE=$root" --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)")
if command -v ccache >/dev/null && [ "${CCACHE_DISABLE:-}" = '' ]; then
  cache=$(ccache --get-config cache_dir) && mkdir -p "$cache" &&
    arguments+=(--volume "$cache:/ccache" --build-arg CCACHE_DIR=/ccache)
  for name in LANG LC_ALL; do
    [ -z "${!name:-}" ] || arguments+=(--build-arg "$name=${!name}")
  done
fi
# Grammars that npm has fetched for the release build are not fetched again: what this system's npm needs to reach a registry, such as
# authorities of its own, the container does not have. Then npm is not installed there: it is some 400 packages.
grammars=build/release/rules/engine/code/grammars
[ ! -f "$grammars/complete" ] || arguments+=(--volume "$root/$grammars:$root/$grammars:ro" --build-arg INSTALL_OPTIONS=--without-npm)
yard_buildah build --isolation chroot --format docker --layers=false --pull-never "${arguments[@]}" \
  --tag localhost/yardmaster-test . || fail "building the image"
container=$(yard_buildah from --pull-never localhost/yardmaster-test) || fail "a container from the image"
# --- what the image says about itself ---------------------------------------------------------------------------------

step "what the image says"
yard_buildah inspect --type image localhost/yardmaster-test >"$scratch/inspect.json" || fail "inspecting the image"
# Prints the entry point and the health check's command, one argument a line with the list's name in front.
python3 - "$scratch/inspect.json" >"$scratch/commands" <<'PYTHON' || fail "the image's settings"
import json, sys
config = json.load(open(sys.argv[1], encoding="utf-8"))["Docker"]["config"]
health = config["Healthcheck"]["Test"]
expected = {
    "User": "10001:10001",
    "StopSignal": "SIGTERM",
    "ExposedPorts": {"8080/tcp": {}, "9090/tcp": {}},
    "Volumes": {"/var/lib/yardmaster": {}},
}
for key, value in expected.items():
    assert config[key] == value, f"{key} is {config[key]!r}, expected {value!r}"
labels = config["Labels"]
for name in ("title", "description", "licenses", "version", "revision"):
    assert labels["org.opencontainers.image." + name], name
assert health[0] == "CMD" and not config.get("Cmd"), (health, config.get("Cmd"))
for argument in config["Entrypoint"]:
    print("entrypoint", argument)
for argument in health[1:]:
    print("health", argument)
PYTHON
mapfile -t entrypoint < <(sed -n 's/^entrypoint //p' "$scratch/commands")
mapfile -t health < <(sed -n 's/^health //p' "$scratch/commands")
echo "command: ${entrypoint[*]}"
echo "health check: ${health[*]}"

step "what is in the image"
# Runs inside, as the user of the image. What it finds goes to a folder and not to stdout, of which buildah may lose the end.
mkdir -p "$scratch/found" "$scratch/data" "$scratch/etc" && chmod 0711 "$scratch" && chown 10001:10001 "$scratch/found" "$scratch/data" || exit 1
cat >"$scratch/etc/look.sh" <<'INSIDE'
set -eu
id -u >/found/user
test -w /var/lib/yardmaster
yardmasterd --version
yard --version
ls /usr/local/share/yardmaster/packs >/found/packs
yard rules test --all >/found/cases || { cat /found/cases; exit 1; }
for tool in clang++ g++ cmake git ccache; do
  if command -v $tool; then echo "a tool of the build is in the image"; exit 1; fi
done
ldd /usr/local/bin/yard /usr/local/bin/yardmasterd >/found/ldd
for package in "$@"; do
  dpkg -L "$package" | sed "s,^/usr,,; s,^,$package ,"
done >/found/files
sed -n 's,.*=> \(/[^ ]*\).*,\1,p' /found/ldd | sort -u | while read -r library; do readlink -f "$library"; done | sed 's,^/usr,,' >/found/libraries
INSIDE
sed -n '/^runtime_packages=(/,/^)/p' deploy/install-deps.sh | sed 's/^runtime_packages=//; s/[()]//g' | xargs -n1 |
  grep -vxE "ca-certificates|tzdata" >"$scratch/packages"
# shellcheck disable=SC2046  # One word a package.
yard_buildah run --isolation chroot --volume "$scratch/found:/found" --volume "$scratch/etc:/etc/yardmaster:ro" "$container" -- \
  sh /etc/yardmaster/look.sh $(cat "$scratch/packages") || fail "what is in the image"
found=$scratch/found
[ "$(cat "$found/user")" = 10001 ] || fail "the container runs as $(cat "$found/user")"
diff "$found/packs" <(ls rules/packs) || fail "the packs are not those of rules/packs"
tail -n 1 "$found/cases"
! grep "not found" "$found/ldd" || fail "libraries are missing"
# Every runtime package has a library that the programs are linked with: so the list in install-deps.sh stays true.
awk 'NR == FNR { linked[$1] = 1; next } $2 in linked { print $1 }' "$found/libraries" "$found/files" | sort -u >"$scratch/used"
unused=$(sort "$scratch/packages" | comm -23 - "$scratch/used")
[ -z "$unused" ] || fail "install-deps.sh --runtime installs what no program is linked with: $unused"
size=$(yard_buildah images --format '{{.Size}}' localhost/yardmaster-test)
echo "size: $size"

# --- its daemon -------------------------------------------------------------------------------------------------------

cat >"$scratch/etc/issue.json" <<'ISSUE'
{"number": 1, "title": "[FSDP2] fully_shard raises on a tied weight", "body": "`torch.distributed.fsdp.fully_shard` raises.", "labels_before": ["oncall: distributed"]}
ISSUE
printf 'a-secret-of-the-test' >"$scratch/etc/hook.secret"
cat >"$scratch/etc/config.json" <<'CONFIG'
{
  "forges": {"github": {"bot_login": "yard-bot", "webhook_secrets": [{"file": "hook.secret"}]}},
  "repositories": [{"forge": "github", "repository": "octo/frame", "packs": ["pytorch-distributed"]}],
  "allow_anonymous_loopback": true
}
CONFIG

# in_place COMMAND…: in the container, with the configuration and a folder for what comes out. Nothing is mounted on the image's own volume:
# which of the two were seen would be a matter of luck. That volume stays for as long as the container.
in_place() {
  yard_buildah run --isolation chroot --env "YARD_SERVER=${server:-127.0.0.1:9090}" \
    --volume "$scratch/data:/out" --volume "$scratch/etc:/etc/yardmaster:ro" "$container" -- "$@"
}

# run_daemon ARGUMENT…: the image's command with ARGUMENTs, from start to SIGTERM. Ports are any free ones, because the network is the
# host's.
run_daemon() {
  local log=$scratch/daemon.log run_pid tenths code http
  rm -rf "$scratch/data/ready.json"
  in_place "${entrypoint[@]}" "$@" --listen-http 0.0.0.0:0 --listen-grpc 0.0.0.0:0 --ready-file /out/ready.json \
    >"$log" 2>&1 &
  run_pid=$!
  for ((tenths = 0; tenths < 300; tenths++)); do
    [ -s "$scratch/data/ready.json" ] && break
    kill -0 "$run_pid" 2>/dev/null || break
    sleep 0.1
  done
  [ -s "$scratch/data/ready.json" ] || { cat "$log"; fail "no ready file after $((tenths / 10)) s"; }
  read -r daemon_pid http server < <(python3 - "$scratch/data/ready.json" <<'PYTHON'
import json, sys
ready = json.load(open(sys.argv[1], encoding="utf-8"))
print(ready["pid"], *("127.0.0.1:" + ready[name].rpartition(":")[2] for name in ("http", "grpc")))
PYTHON
  )
  echo "ready: pid $daemon_pid, HTTP $http, gRPC $server"
  # Process numbers are those of the host; what another mount namespace has may be named with or without the container's root.
  [[ $(readlink "/proc/$daemon_pid/exe") == */usr/local/bin/yardmasterd ]] ||
    fail "process $daemon_pid is $(readlink "/proc/$daemon_pid/exe")"
  [ "$(awk '/^Uid:/ { print $2, $3, $4, $5 }' "/proc/$daemon_pid/status")" = "10001 10001 10001 10001" ] ||
    fail "the daemon runs as $(grep Uid: "/proc/$daemon_pid/status")"

  in_place "${health[@]}" || fail "the health check says no"
  in_place sh -c 'yard triage issue /etc/yardmaster/issue.json --pack pytorch-distributed --json >/out/decision.json' ||
    fail "triaging an issue"
  python3 - "$scratch/data/decision.json" <<'PYTHON' || fail "the decision"
import json, sys
decision = json.load(open(sys.argv[1], encoding="utf-8"))
assert decision["mode"] == "dry-run" and decision["applied"], decision
print("decided:", ", ".join(decision["applied"]))
PYTHON
  [ $# -eq 0 ] || webhook "$http" || fail "the webhook"

  kill -TERM "$daemon_pid"
  for ((tenths = 0; tenths < 300; tenths++)); do
    kill -0 "$run_pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -0 "$run_pid" 2>/dev/null && fail "the daemon still runs 30 s after SIGTERM"
  wait "$run_pid"
  code=$?
  daemon_pid=
  [ $code -eq 0 ] || { cat "$log"; fail "SIGTERM ended the daemon with $code"; }
  in_place "${health[@]}" 2>/dev/null && fail "the health check says yes to a daemon that has ended"
  in_place test -s /var/lib/yardmaster/yardmaster.db || fail "no data in the volume"
  echo "ended with 0"
}

# webhook ADDRESS: a delivery with a good signature is taken, one with a bad signature is not.
webhook() {
  python3 - "$1" <<'PYTHON'
import hashlib, hmac, json, sys, urllib.error, urllib.request
body = json.dumps({"zen": "Keep it logically awesome.", "repository": {"full_name": "octo/frame"}, "sender": {"login": "a", "type": "User"}}).encode()
def post(secret):
    signature = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "X-GitHub-Event": "ping", "X-GitHub-Delivery": "11111111-2222-3333-4444-555555555555", "X-Hub-Signature-256": signature}
    request = urllib.request.Request(f"http://{sys.argv[1]}/webhooks/github", body, headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
codes = post(b"wrong"), post(b"a-secret-of-the-test")
print("webhook:", *codes)
assert codes == (401, 202), codes
PYTHON
}

step "the daemon without a configuration"
run_daemon
step "the daemon with a mounted configuration"
run_daemon --config /etc/yardmaster/config.json

step "passed: $size"
