#!/usr/bin/env python3
"""Replays the merged changes of clones under the review packs, and holds what is found against what was judged.

    tests/replay/run.py ~/clones/hyper-parallel ~/clones/cache-dit
    tests/replay/run.py --last 300 --candidate ./new-packs --json ~/clones/hyper-parallel

Which pack a clone is read with says repositories.json, by the name of the clone's remote `origin` (--as OWNER/NAME where it has none). For each it
prints the base rates, the share of silent changes and the precision of judged findings, and says where a floor of repositories.json is missed.
Exit: 0 all floors hold, 1 one does not, 2 usage."""

import argparse
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


def precision(verdicts, severity):
    """(true, judged) of what is found now; arguable findings count as half."""
    counts = verdicts.get(severity, {})
    judged = sum(counts.values())
    return counts.get("true", 0) + counts.get("arguable", 0) / 2, judged


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
        right, judged = precision(verdicts, severity)
        if judged:
            print(f"  judged {severity}: {right:g} of {judged} right")
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
            rate = rates.get(check["id"], {"severity": check["severity"].lower(), "per_100": 0})
            print(f"| {check['id']} | {rate['severity']} | {check['title']} | {check.get('source', '')} | {rate['per_100']:.1f} |".replace(" 0.0 |", " 0 |"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", nargs="+", metavar="CLONE")
    parser.add_argument("--as", dest="name", metavar="OWNER/NAME", help="whose clone it is, where `origin` does not say so")
    parser.add_argument("--last", type=int, help="so many changes of each (default: as repositories.json says)")
    parser.add_argument("--packs", type=pathlib.Path, default=ROOT / "rules" / "packs")
    parser.add_argument("--candidate", help="a folder of packs to compare with")
    parser.add_argument("--sample", metavar="FILE", help="write findings without a verdict there, to be judged")
    parser.add_argument("--yard", default=ROOT / "build" / "release" / "bin" / "yard")
    parser.add_argument("--table", action="store_true", help="the table of the pack's README instead")
    parser.add_argument("--json", action="store_true", help="the answers as they are, a line each")
    options = parser.parse_args()
    entries = json.loads((HERE / "repositories.json").read_text(encoding="utf-8"))["repositories"]
    missed = []
    for clone in options.clones:
        name = options.name or origin_of(clone)
        entry = next((entry for entry in entries if entry["repository"] == name), None)
        if entry is None:
            parser.error(f"{clone}: '{name}' is not in repositories.json; name it with --as")
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
