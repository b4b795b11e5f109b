#!/usr/bin/env bash
# Runs yard-worker as a service where Debian 12 would: under systemd, in control groups of version 2. See --help.
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" || exit 1

usage() {
  cat <<'USAGE'
Usage: tests/packaging/cgroup_v2.sh [--help]

Starts a kernel as a process of this machine (user-mode Linux) with this machine's files, which it can't write to, and in
it systemd with deploy/systemd/yard-worker.service, installed from build/release. There the pool "untrusted" must start as
its unprivileged user, limits of processes and memory must hold, a worker that is killed must come back to a run that went
on, and nothing may be left. Needs root and deploy/install-deps.sh --with-packaging.

Exit: 0 passed, 1 failed, 2 wrong option, 77 can't run here.
USAGE
}

# --- In the guest -------------------------------------------------------------------------------------------------------

# The first process: a root of its own above this machine's, which is only read. Then systemd.
guest_init() {
  export PATH=/usr/sbin:/usr/bin:/sbin:/bin
  mount -t proc proc /proc
  mount -t tmpfs -o size=1g,mode=755 guest /mnt
  insmod "$(find "/usr/lib/uml/modules/$(uname -r)" -name overlay.ko)" || return 1
  mkdir /mnt/upper /mnt/work /mnt/root
  mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/root || return 1
  cd /mnt/root || return 1
  umount /proc
  rm -rf etc/systemd/system/*.wants run/*
  : >etc/fstab
  : >etc/machine-id
  mkdir -p etc/yardmaster
  cat >etc/systemd/system/guest-test.service <<UNIT
[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
ExecStart=/bin/bash -x $1/tests/packaging/cgroup_v2.sh --guest-test $2
ExecStopPost=/bin/systemctl --no-block --force poweroff
UNIT
  # The service's own place of programs.
  mkdir -p usr/local/bin
  cp "$2"/prefix/bin/yard-worker usr/local/bin/
  # The service as it is, but nothing of a whole system is waited for.
  sed '/^After=/d; /^Wants=/d; s/^\[Unit\]/&\nDefaultDependencies=no/; s,^\[Service\],&\nStandardError=append:/guest-out/worker.log,' \
    "$1"/deploy/systemd/yard-worker.service >etc/systemd/system/yard-worker.service
  # Who is merely in another root may not make user namespaces.
  mount --no-mtab --move . /
  exec chroot . /lib/systemd/systemd systemd.unified_cgroup_hierarchy=1 --unit=guest-test.service --show-status=0
}

# What must hold. Says what happens in a file of the host, in the only folder that it may write to there.
guest_test() {
  mkdir -p /guest-out
  mount -t hostfs -o "$1" none /guest-out
  exec >/guest-out/report 2>&1
  local folder=/var/lib/guest programs=$1/prefix/bin
  mkdir -p $folder/packs/trial/suites
  cp -r "$1/prefix/share/yardmaster/packs/common" $folder/packs/
  echo '{"name": "trial", "title": "What a worker must hold"}' >$folder/packs/trial/pack.json
  cat >$folder/packs/trial/suites/trial.json <<'JSON'
{"suites": [
  {"id": "bomb", "title": "Starts processes without end", "source": {"repository": "github:o/r", "ref": "main"},
   "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1, "memory_mb": 300},
   "layers": [{"id": "a", "kind": "correctness", "steps": [{"id": "a", "shell": "python3 ${SOURCE}/bomb.py"}]}]},
  {"id": "hog", "title": "Takes memory without end", "source": {"repository": "github:o/r", "ref": "main"},
   "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1, "memory_mb": 64},
   "layers": [{"id": "a", "kind": "correctness", "steps": [{"id": "a", "shell": "python3 ${SOURCE}/hog.py"}]}]},
  {"id": "nap", "title": "Takes its time", "source": {"repository": "github:o/r", "ref": "main"},
   "limits": {"step_s": 120, "grace_s": 1, "disk_mb": 1},
   "layers": [{"id": "a", "kind": "correctness", "steps": [{"id": "a", "shell": "for i in $(seq 20); do echo line $i; sleep 1; done"}]}]}]}
JSON
  mkdir $folder/tree
  cat >$folder/tree/bomb.py <<'PY'
import os, time
made = 0
while made < 2000:
    try:
        if os.fork() == 0: time.sleep(100)
        made += 1
    except OSError: break
print("made", made, flush=True)
os._exit(1)
PY
  echo 'held = [bytearray(b"x" * 2**20) for _ in range(1000)]' >$folder/tree/hog.py
  echo "operator-token-of-the-guest" >$folder/operator.token
  echo "runner-token-of-the-guest" >/etc/yardmaster/worker.token
  cat >$folder/config.json <<'JSON'
{"data_dir": "data", "packs_dir": "packs", "dispatch": {"lease_seconds": 20, "limits": {"processes": 100}},
 "tokens": [{"name": "ops", "role": "operator", "secret": {"file": "operator.token"}},
            {"name": "box", "role": "runner", "secret": {"file": "/etc/yardmaster/worker.token"}}]}
JSON
  "$programs/yardmasterd" --config $folder/config.json --listen-grpc 127.0.0.1:9090 --listen-http 127.0.0.1:0 \
    --ready-file $folder/ready 2>$folder/daemon.log &
  local i
  for i in $(seq 100); do [ -e $folder/ready ] && break; sleep 0.2; done

  useradd --system --home-dir /var/lib/yard-worker yard-worker
  chown yard-worker /etc/yardmaster/worker.token
  chmod 600 /etc/yardmaster/worker.token
  printf 'SERVER=127.0.0.1:9090\nARGS=--name box --pool untrusted --devices cpu:2\n' >/etc/yardmaster/worker.env
  systemctl start yard-worker || { tail -20 /guest-out/worker.log; bad "the service does not start"; return; }
  yard() { "$programs/yard" --token-file $folder/operator.token "$@"; }
  for i in $(seq 60); do yard runner list 2>/dev/null | grep -q 'box.*idle' && break; systemctl -q is-active yard-worker || break; sleep 1; done
  yard runner list
  yard runner list --json | grep -q '"pool": *"untrusted"' || bad "no runner in the pool untrusted: $(tail -20 /guest-out/worker.log)"
  good "the pool untrusted starts as an unprivileged user"

  job_of() { yard test run "trial/$1" --source $folder/tree --pool untrusted --json 2>$folder/$1.log >$folder/$1.json; }
  job_of bomb
  grep -q '"verdict": *"failed"' $folder/bomb.json && grep -q 'limit of 100 processes was met' $folder/bomb.json ||
    bad "the fork bomb: $(cat $folder/bomb.json $folder/bomb.log)"
  good "processes are limited, and the run says so"
  job_of hog
  grep -q '"verdict": *"failed"' $folder/hog.json && grep -q 'limit of 64 MiB of memory was reached' $folder/hog.json ||
    bad "the memory hog: $(cat $folder/hog.json $folder/hog.log)"
  good "memory is limited, and the run says so"

  job_of nap &
  for i in $(seq 100); do grep -q 'line 3' $folder/nap.log 2>/dev/null && break; sleep 0.3; done
  # The worker, which is the only child of what systemd started, dies in the middle of the run.
  kill -9 "$(pgrep -P "$(systemctl show -p MainPID --value yard-worker)")"
  wait $!
  grep -q '"verdict": *"passed"' $folder/nap.json && grep -q '"attempt": *1' $folder/nap.json ||
    bad "the run of a worker that was killed: $(cat $folder/nap.json $folder/nap.log; tail /guest-out/worker.log)"
  good "a worker that was killed comes back to its run"

  sleep 3
  local group=/sys/fs/cgroup/system.slice/yard-worker.service
  [ "$(cd $group && echo */)" = "yardmaster-self/" ] || bad "groups are left: $(ls -d $group/*/)"
  [ -z "$(ls -A /var/lib/yard-worker/runs)" ] || bad "folders of runs are left"
  good "nothing is left"
  systemctl stop yard-worker
  [ "$(systemctl show -p Result --value yard-worker)" = success ] || bad "the service did not end well"
  good "the service drains"
  echo "GUEST-PASSED"
}
good() { echo "GUEST-STEP $1"; }
bad() { echo "GUEST-FAILED $1"; systemctl --no-block --force poweroff; exit 1; }

case "${1:-}" in
  --guest-init) guest_init "$2" "$3"; echo "GUEST-FAILED its root"; poweroff -f; exit 1 ;;
  --guest-test) guest_test "$2"; exit ;;
esac

# --- On this machine ----------------------------------------------------------------------------------------------------

only_help "$@"
cd "$root" || exit 1
[ "$(id -u)" -eq 0 ] || { echo "it needs root"; exit 77; }
need linux.uml insmod bwrap

scratch=$(mktemp -d /var/tmp/yard-guest.XXXXXX) || exit 1
trap 'rm -rf "$scratch"' EXIT
chmod 0755 "$scratch"
cmake --install build/release --prefix "$scratch/prefix" >"$scratch/install.log" || { tail "$scratch/install.log"; fail "cmake --install"; }
# The guest's first process gets no arguments from here.
printf '#!/bin/bash\nexec /bin/bash %q --guest-init %q %q\n' "$root/tests/packaging/cgroup_v2.sh" "$root" "$scratch" >"$scratch/init"
chmod +x "$scratch/init"

step "a worker as a service of systemd, in control groups of version 2"
timeout 200 linux.uml mem=1536M root=/dev/root rootfstype=hostfs rootflags=/ ro "init=$scratch/init" uml_dir="$scratch" \
  con=null con0=null,fd:1 ssl=null </dev/null >"$scratch/console" 2>&1
grep '^GUEST-' "$scratch/report"
grep -aq 'Run .* as init process' "$scratch/console" || { echo "user-mode Linux does not start here"; exit 77; }
grep -q '^GUEST-PASSED' "$scratch/report" || { cat "$scratch"/{console,report,worker.log}; fail "the worker in the guest"; }
