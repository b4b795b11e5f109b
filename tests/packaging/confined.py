#!/usr/bin/env python3
"""confined.py UNIT PREFIX: runs PREFIX/bin/yardmasterd under the seccomp filters that systemd would make of UNIT.

That is SystemCallFilter, MemoryDenyWriteExecute and RestrictAddressFamilies, made here with libseccomp, because a
systemd that runs services is rarely at hand where tests run. What systemd would refuse with an error kills the daemon
here, so that nothing passes because some library shrugs an error off; the one exception is netlink, which glibc asks
for before every name lookup and does without. The daemon then takes a delivery, plans it, makes decisions, looks for a
forge that is not there, reads its packs again, and ends. Root runs it as another user, as the unit does: SQLite, for
one, makes more calls for root.
"""

import ctypes
import hashlib
import hmac
import json
import mmap
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
NOBODY = 65534
EAFNOSUPPORT = 97
SCMP_CMP_EQ = 4
SCMP_CMP_MASKED_EQ = 7
PROT_WRITE, PROT_EXEC = 2, 4
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}
AF_NETLINK = 16


class Argument(ctypes.Structure):
    """struct scmp_arg_cmp."""

    _fields_ = [("index", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def settings(unit):
    """The unit's settings, each with its values in order."""
    found = {}
    for line in pathlib.Path(unit).read_text(encoding="utf-8").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


def members(group):
    """The system calls of a group such as @system-service."""
    text = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", group], check=True, capture_output=True, text=True).stdout
    calls = set()
    for word in (line.strip() for line in text.splitlines()[1:]):
        if word.startswith("@"):
            calls |= members(word)
        elif word and not word.startswith("#"):
            calls.add(word)
    return calls


def allowed_calls(filters):
    calls = set()
    for value in filters:
        take_away = value.startswith("~")
        for word in value.lstrip("~").split():
            named = members(word) if word.startswith("@") else {word}
            calls = calls - named if take_away else calls | named
    # systemd adds what a start needs in any case.
    return calls | members("@default")


def confinement(unit):
    """A function that confines the process that calls it."""
    of_unit = settings(unit)
    calls = allowed_calls(of_unit["SystemCallFilter"])
    families = [FAMILIES[name] for name in of_unit["RestrictAddressFamilies"][-1].split()]
    no_code = of_unit["MemoryDenyWriteExecute"][-1] == "yes"
    library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_rule_add_array.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(Argument)]
    library.seccomp_load.argtypes = [ctypes.c_void_p]
    context = library.seccomp_init(KILL_PROCESS)

    def rule(action, name, *arguments):
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:  # Others are those of other machines.
            array = (Argument * max(len(arguments), 1))(*arguments)
            result = library.seccomp_rule_add_array(context, action, number, len(arguments), array)
            assert result == 0, (name, result)

    special = {"socket"} | ({"mmap", "mprotect", "pkey_mprotect", "shmat"} if no_code else set())
    for name in sorted(calls - special):
        rule(ALLOW, name)
    for family in families:
        rule(ALLOW, "socket", Argument(0, SCMP_CMP_EQ, family, 0))
    rule(0x00050000 | EAFNOSUPPORT, "socket", Argument(0, SCMP_CMP_EQ, AF_NETLINK, 0))
    if no_code:
        rule(ALLOW, "mmap", Argument(2, SCMP_CMP_MASKED_EQ, PROT_WRITE, 0))
        rule(ALLOW, "mmap", Argument(2, SCMP_CMP_MASKED_EQ, PROT_WRITE | PROT_EXEC, PROT_WRITE))
        rule(ALLOW, "mprotect", Argument(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0))
    print(f"{len(calls)} system calls allowed, families {families}, write-and-execute refused: {no_code}")

    def confine():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        assert library.seccomp_load(context) == 0

    return confine


def deliver(address, secret, number):
    """Posts a signed webhook; returns its state."""
    body = json.dumps({
        "action": "opened",
        "repository": {"full_name": "octo/frame"},
        "sender": {"login": "reporter", "type": "User"},
        "issue": {
            "number": number, "title": "FSDP: fully_shard hangs", "body": "torch.distributed.fsdp hangs", "state": "open",
            "labels": [{"name": "oncall: distributed"}], "user": {"login": "reporter"}},
    }).encode()
    signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    request = urllib.request.Request(f"http://{address}/webhooks/github", body, {
        "Content-Type": "application/json", "X-GitHub-Event": "issues", "X-Hub-Signature-256": signature,
        "X-GitHub-Delivery": f"00000000-0000-0000-0000-{number:012}"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=20) as answer:
        return answer.status, json.load(answer)["state"]


def main():
    unit, programs = sys.argv[1], pathlib.Path(sys.argv[2]) / "bin"
    confine = confinement(unit)
    # The confinement bites: memory that can be written and executed kills.
    child = os.fork()
    if child == 0:
        confine()
        mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | PROT_WRITE | PROT_EXEC)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == -signal.SIGSYS, f"the filters let memory be writable and executable: {code}"

    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "secret").write_text("a-secret-of-the-test", encoding="utf-8")
        (here / "token").write_text("a-token-of-the-test-operator", encoding="utf-8")
        (here / "config.json").write_text(json.dumps({
            "forges": {"github": {
                "api_url": "http://localhost:1", "token": {"file": "token"}, "bot_login": "yard-bot", "timeout_ms": 1000,
                "webhook_secrets": [{"file": "secret"}]}},
            "repositories": [{"forge": "github", "repository": "octo/frame", "packs": ["pytorch-distributed"]}],
            "tokens": [{"name": "ops", "role": "operator", "secret": {"file": "token"}}],
        }), encoding="utf-8")
        (here / "issue.json").write_text(json.dumps({"number": 1, "title": "DDP: gradients differ", "body": "torch.distributed"}), encoding="utf-8")
        if os.geteuid() == 0:
            for path in [here, *here.iterdir()]:
                os.chown(path, NOBODY, NOBODY)
        log = open(here / "log", "w+b")  # noqa: SIM115: lives as long as the daemon
        daemon = subprocess.Popen(
            [programs / "yardmasterd", "--config", here / "config.json", "--data-dir", here / "data", "--log-format", "json",
             "--listen-http", "127.0.0.1:0", "--listen-grpc", "127.0.0.1:0", "--ready-file", here / "ready.json"],
            stdout=log, stderr=log, preexec_fn=confine)

        def check(good, what):
            if not good:
                daemon.kill()
                code = daemon.wait()
                log.seek(0)
                sys.exit(log.read().decode(errors="replace") + f"\n{what} (the daemon ended with {code})")

        deadline = time.monotonic() + 30
        while not (here / "ready.json").exists() and daemon.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        check((here / "ready.json").exists(), "the daemon did not become ready")
        ready = json.loads((here / "ready.json").read_text(encoding="utf-8"))

        def yard(*arguments, timeout=60):
            return subprocess.run(
                [programs / "yard", "--server", ready["grpc"], "--token-file", here / "token", *arguments],
                check=False, capture_output=True, text=True, timeout=timeout)

        def must(expected, *arguments):
            done = yard(*arguments)
            check(done.returncode == expected, f"yard {' '.join(map(str, arguments))}: {done.returncode} {done.stdout}{done.stderr}")
            return done.stdout

        must(0, "health")
        for number in (1, 2, 3):
            check(deliver(ready["http"], "a-secret-of-the-test", number)[0] == 202, "a delivery was not taken")
        must(0, "triage", "issue", here / "issue.json", "--pack", "pytorch-distributed")
        # The forge is not there, which the daemon does not believe at once: what counts is that looking for it is allowed.
        try:
            yard("sweep", "github:octo/frame", timeout=3)
        except subprocess.TimeoutExpired:
            pass
        must(0, "rules", "test", "--all")
        must(0, "rules", "reload")
        daemon.send_signal(signal.SIGHUP)
        # Planning asks the forge first, and will try again: some attempts are enough.
        time.sleep(2)
        deliveries = json.loads(must(0, "deliveries", "list", "--json"))["deliveries"]
        check(len(deliveries) == 3, f"deliveries: {deliveries}")
        daemon.send_signal(signal.SIGTERM)
        try:
            code = daemon.wait(timeout=60)
        except subprocess.TimeoutExpired:
            code = "a time-out"
        check(code == 0, f"SIGTERM ended the daemon with {code}")
        print("deliveries:", *(f"{one['state']} after {one['attempts']} attempts," for one in deliveries))
    print("the daemon did its work confined and ended with 0")


if __name__ == "__main__":
    main()
