#!/usr/bin/env python3
"""Reviews the merged changes of clones under the review packs, and compares the findings with the judgements of people.

    tests/replay/run.py ~/clones/hyper-parallel ~/clones/cache-dit
    tests/replay/run.py --last 300 --candidate ./new-packs --json ~/clones/hyper-parallel
    tests/replay/run.py --cases ~/clones/hyper-parallel

repositories.json names the pack of each clone, by its remote `origin` (--as OWNER/NAME if it has none). For each clone this prints the base rates, the
share of changes without findings and the precision of judged findings, and reports floors of repositories.json that are missed.
--cases: instead, checks which findings certain changes must and must not have (cases/PACK.jsonl).
--progress: instead, checks how far operators were before and after the change that added them (progress/PACK.jsonl).
Exit: 0 all floors hold, 1 one does not, 2 usage."""

import argparse
import fnmatch
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def origin_of(clone):
    url = subprocess.run(["git", "-C", clone, "remote", "get-url", "origin"], capture_output=True, text=True).stdout.strip()
    found = re.search(r"([\w.-]+/[\w.-]+?)(?:\.git)?/?$", url)
    return found.group(1) if found else ""


def packs_for(entry, packs, folder):
    """The packs, with the library's folder of this repository where the pack names that of its own."""
    if "read" not in entry:
        return packs
    copy = pathlib.Path(folder) / "packs"
    shutil.copytree(packs, copy)
    for file in (copy / entry["pack"] / "checks").glob("*.json"):
        text = file.read_text(encoding="utf-8")
        for old, new in entry["read"].items():
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")
    return copy


def verdicts_for(entry, folder):
    kept = HERE / "verdicts" / f"{entry['pack']}.jsonl"
    if not kept.exists():
        return None
    lines = [line for line in kept.read_text(encoding="utf-8").splitlines() if json.loads(line)["repository"] == entry["repository"]]
    if not lines:
        return None
    file = pathlib.Path(folder) / "verdicts.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def replay(yard, clone, entry, options):
    with tempfile.TemporaryDirectory() as folder:
        command = [yard, "rules", "backtest", "--json", "--pack", entry["pack"], "--repo", clone, "--last", str(options.last or entry["last"]),
                   "--packs", packs_for(entry, options.packs, folder)]
        if options.range:
            command += ["--range", options.range]
        if (verdicts := verdicts_for(entry, folder)) is not None:
            command += ["--verdicts", verdicts]
        if options.candidate:
            command += ["--candidate", options.candidate]
        if options.sample:
            command += ["--sample", options.sample]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in command)}\n{done.stderr}")
    return json.loads(done.stdout)


# Of what cases ask for; every "silent" of them must hold.
CASES_FLOOR = 90


def findings_of(yard, clone, entry, commit, packs):
    """What is new in one change."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "findings.jsonl"
        command = [yard, "rules", "backtest", "--quiet", "--pack", entry["pack"], "--repo", clone, "--range", f"{commit}^1..{commit}", "--last", "1",
                   "--packs", packs, "--findings", file]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{commit}: {done.stderr}")
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def is_about(finding, wanted):
    """A rule stands for its parts; "A-*" for all rules that begin so."""
    rule = wanted if isinstance(wanted, str) else wanted["rule"]
    named = finding["rule"].startswith(rule[:-1]) if rule.endswith("*") else finding["rule"] == rule or finding["rule"].startswith(rule + ".")
    if not named or isinstance(wanted, str):
        return named
    return (fnmatch.fnmatch(finding["path"], wanted.get("path", "*")) and finding["line"] == wanted.get("line", finding["line"])
            and finding["severity"] == wanted.get("severity", finding["severity"]))


def check_cases(entry, clone, options):
    """Prints what is not as the cases say; what is missed of the floors."""
    file = HERE / "cases" / f"{entry['pack']}.jsonl"
    if not file.exists():
        sys.exit(f"{entry['pack']}: there is no {file.relative_to(HERE)}")
    cases = [case for case in map(json.loads, file.read_text(encoding="utf-8").splitlines()) if case["repository"] == entry["repository"]]
    if not cases:
        sys.exit(f"{entry['repository']}: {file.name} has no cases of it")
    asked = found = loud = 0
    for case in cases:
        findings = findings_of(options.yard, clone, entry, case["commit"], options.packs)
        for wanted in case["must"]:
            asked += 1
            hits = sum(is_about(finding, wanted) for finding in findings)
            if hits >= wanted.get("count", 1):
                found += 1
            else:
                print(f"  {case['commit'][:10]} {case['about']}: found {hits} of {json.dumps(wanted)}")
        for wanted in case["silent"]:
            for finding in findings:
                if is_about(finding, wanted):
                    loud += 1
                    print(f"  {case['commit'][:10]} {case['about']}: not silent: {finding['rule']} {finding['path']}:{finding['line']}")
    share = 100 * found / max(1, asked)
    print(f"{entry['repository']} under {entry['pack']}: {len(cases)} changes, {found} of {asked} expectations found ({share:.0f} %), {loud} findings where there must be none")
    missed = [] if share >= CASES_FLOOR else [f"cases: {share:.0f} % found, at least {CASES_FLOOR} %"]
    return missed + ([f"cases: {loud} findings where there must be none"] if loud else [])


def progress_at(yard, clone, entry, revision, operator, packs):
    """Stage by stage how far an operator is, {id: state}; None where there is no such operator."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "-C", clone, "archive", revision], capture_output=True, check=True)
        subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
        command = [yard, "review", "progress", folder, "--pack", entry["pack"], "--operator", operator, "--packs", packs, "--json"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode == 1:
        return None
    if done.returncode != 0:
        sys.exit(f"{revision}: {done.stderr}")
    return {stage["id"]: stage["state"] for stage in json.loads(done.stdout)["operators"][0]["stages"]}


def check_progress(entry, clone, options):
    """Prints the stages that are not as they were judged; what is missed."""
    file = HERE / "progress" / f"{entry['pack']}.jsonl"
    wrong = 0
    kept = [one for one in map(json.loads, file.read_text(encoding="utf-8").splitlines()) if one["repository"] == entry["repository"]]
    for one in kept:
        for when, revision in (("before", f"{one['commit']}^1"), ("after", one["commit"])):
            now = progress_at(options.yard, clone, entry, revision, one["operator"], options.packs)
            if now != one[when]:
                wrong += 1
                print(f"  {one['commit'][:10]} {one['operator']} {when}: {now}, and not {one[when]}")
    print(f"{entry['repository']} under {entry['pack']}: {len(kept)} operators before and after, {wrong} not as judged")
    return [f"progress: {wrong} reports are not as judged"] if wrong else []


def precision(verdicts, severity):
    """(true, arguable, judged) of what is found now."""
    counts = verdicts.get(severity, {})
    return counts.get("true", 0), counts.get("arguable", 0), sum(counts.values())


def told(entry, answer):
    """Prints what was found; the floors that are missed."""
    silent = 100 * answer["silent"] / max(1, answer["changes"])
    print(f"\n{entry['repository']} under {entry['pack']}: {answer['changes']} changes, {answer['silent']} ({silent:.0f} %) without a blocking or major finding")
    for rule in answer["rules"]:
        if rule["findings"]:
            print(f"  {rule['rule']:32} {rule['severity']:6} {rule['findings']:5} findings in {rule['changes']:4} changes, {rule['per_100']:6.1f} per 100")
    missed = []
    if silent < entry["silent"]:
        missed.append(f"silent changes: {silent:.0f} %, at least {entry['silent']} %")
    verdicts = answer.get("verdicts", {})
    for severity in ("block", "major"):
        right, arguable, judged = precision(verdicts, severity)
        if judged:
            print(f"  judged {severity}: {right} of {judged} right, {arguable} arguable")
            if 100 * right < entry[severity] * judged:
                missed.append(f"{severity}: {100 * right / judged:.0f} % of what was judged is right, at least {entry[severity]} %")
    lost = [verdict for verdict in verdicts.get("lost", []) if verdict["verdict"] == "true"]
    for verdict in lost:
        print(f"  judged right, and found no more: {verdict['rule']} {verdict['commit'][:10]} {verdict['path']}:{verdict['line']}")
    for one in answer.get("candidate", {}).get("gained", []):
        print(f"  gained: {one['rule']} {one['commit'][:10]} {one['path']}:{one['line']} {one['message']}")
    for one in answer.get("candidate", {}).get("lost", []):
        print(f"  lost: {one['rule']} {one['commit'][:10]} {one['path']}:{one['line']} {one['message']}")
    return missed


def table(entry, answer, packs):
    """The table of a pack's README: each rule, where it comes from, and how often it speaks."""
    rates = {rule["rule"]: rule for rule in answer["rules"]}
    print("| rule | severity | what | source | per 100 changes |\n|---|---|---|---|---|")
    for file in sorted((packs / entry["pack"] / "checks").glob("*.json")):
        for check in json.loads(file.read_text(encoding="utf-8")).get("checks", []):
            rate = rates.get(check["id"], {"severity": check["severity"].lower(), "per_100": None})
            often = "not measured" if rate["per_100"] is None else f"{rate['per_100']:.1f}" if rate["per_100"] else "0"
            print(f"| {check['id']} | {rate['severity']} | {check['title']} | {check.get('source', '')} | {often} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", nargs="+", metavar="CLONE")
    parser.add_argument("--as", dest="name", metavar="OWNER/NAME", help="whose clone it is, where `origin` does not say so")
    parser.add_argument("--last", type=int, help="so many changes of each (default: as repositories.json says)")
    parser.add_argument("--range", metavar="A..B", help="only changes that B has and A has not (default: all of HEAD)")
    parser.add_argument("--packs", type=pathlib.Path, default=ROOT / "rules" / "packs")
    parser.add_argument("--candidate", help="a folder of packs to compare with")
    parser.add_argument("--sample", metavar="FILE", help="write findings without a verdict there, to be judged")
    parser.add_argument("--yard", default=ROOT / "build" / "release" / "bin" / "yard")
    parser.add_argument("--table", action="store_true", help="the table of the pack's README instead")
    parser.add_argument("--cases", action="store_true", help="hold single changes against what must be found in them instead")
    parser.add_argument("--progress", action="store_true", help="hold reports of progress against what was judged instead")
    parser.add_argument("--json", action="store_true", help="the answers as they are, a line each")
    options = parser.parse_args()
    entries = json.loads((HERE / "repositories.json").read_text(encoding="utf-8"))["repositories"]
    missed = []
    for clone in options.clones:
        name = options.name or origin_of(clone)
        entry = next((entry for entry in entries if entry["repository"] == name), None)
        if entry is None:
            parser.error(f"{clone}: '{name}' is not in repositories.json; name it with --as")
        if options.cases:
            missed += [f"{name}: {one}" for one in check_cases(entry, clone, options)]
            continue
        if options.progress:
            missed += [f"{name}: {one}" for one in check_progress(entry, clone, options)]
            continue
        answer = replay(options.yard, clone, entry, options)
        if options.table:
            table(entry, answer, options.packs)
        elif options.json:
            print(json.dumps(answer))
        else:
            missed += [f"{name}: {one}" for one in told(entry, answer)]
    for one in missed:
        print(f"missed: {one}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
