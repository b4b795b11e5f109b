#!/usr/bin/env python3
"""Single test cases of programs that ctest runs as one. Called by run.sh.

  cases.py count JUNIT RESULTS    what became of the cases of one run of ctest: JUNIT is what ctest wrote, RESULTS the folder of what the
                                  programs wrote. Prints the failed ones with their messages, and why others were skipped; the last line is "PASSED FAILED SKIPPED"
  cases.py select REGEX BUILD LABEL
                                  the cases of the tests with this label whose name matches, as two lines: a regex of ctest's tests, and
                                  what GTEST_FILTER has to be. Names are FOLDER.SUITE.CASE
"""

import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

MESSAGE_LINES = 40

# The first and the last line of what a sanitizer reports, whose program fails at its end though its cases pass.
REPORT_BEGINS = re.compile(r"WARNING: ThreadSanitizer|ERROR: \w+Sanitizer|: runtime error: ")
REPORT_ENDS = re.compile(r"^SUMMARY: ")


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def fail(self, name, message):
        self.failed += 1
        print(f"FAILED {name}")
        lines = message.strip().splitlines()
        for line in lines[:MESSAGE_LINES]:
            print("    " + line)
        if len(lines) > MESSAGE_LINES:
            print(f"    … and {len(lines) - MESSAGE_LINES} lines more")

    def skip(self, name, reason):
        """`reason`: the element of the report, whose message begins with the place in the source; None for a disabled case, which is meant."""
        self.skipped += 1
        if reason is None:
            return
        lines = reason.get("message", "").strip().splitlines()
        print(f"SKIPPED {name}: {lines[-1] if lines else 'no reason given'}")


def sanitizer_reports(output):
    """What sanitizers said, each with the case that was running; of many reports the first ones, which fit below MESSAGE_LINES. Empty: they said nothing."""
    shown, case, inside = [], "", False
    for line in output.splitlines():
        if line.startswith("[ RUN "):
            case = line
        if not inside and REPORT_BEGINS.search(line):
            inside = True
            shown.append(case)
        if inside:
            shown.append(line)
        inside = inside and not REPORT_ENDS.search(line)
    return shown[:MESSAGE_LINES - 2]


def why_it_failed(output):
    """The lines that explain a program that failed without a failed case."""
    return "\n".join(sanitizer_reports(output) or output.splitlines()[2 - MESSAGE_LINES:])


def count_report(entry, report, totals):
    """The cases of a program that came to its end. Returns how many failed."""
    failed = 0
    for case in ET.parse(report).getroot().iter("testcase"):
        failures = case.findall("failure")
        if failures:
            failed += 1
            totals.fail(f"{entry}.{case.get('classname')}.{case.get('name')}", "\n".join(failure.get("message", "") for failure in failures))
        elif case.get("status") == "notrun" or case.find("skipped") is not None:
            totals.skip(f"{entry}.{case.get('classname')}.{case.get('name')}", case.find("skipped"))
        else:
            totals.passed += 1
    return failed


def count_output(entry, output, totals):
    """The cases of a program that died: what it had printed."""
    totals.passed += len(re.findall(r"^\[       OK \] ", output, re.M))
    totals.skipped += len(re.findall(r"^\[  SKIPPED \] .* \(\d+ ms\)$", output, re.M))
    for name in re.findall(r"^\[  FAILED  \] (\S+?),? .*\(\d+ ms\)$", output, re.M):
        totals.fail(f"{entry}.{name}", "see the output above")
    begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
    ended = set(re.findall(r"^\[  (?:     OK|FAILED |SKIPPED) \] ([^\s,]+)", output, re.M))
    died = [name for name in begun if name not in ended]
    tail = "\n".join(output.splitlines()[1 - MESSAGE_LINES:])
    totals.fail(f"{entry}.{died[-1]}" if died else entry, "the program ended in the middle, its later cases did not run:\n" + tail)


def count(junit, results):
    totals = Totals()
    for test in ET.parse(junit).getroot().iter("testcase"):
        entry, status = test.get("name"), test.get("status")
        output = test.findtext("system-out") or ""
        report = pathlib.Path(results) / (entry.replace("/", "_") + ".xml")
        if report.exists():
            if count_report(entry, report, totals) == 0 and status != "run":
                totals.fail(entry, "the program failed, though none of its cases did:\n" + why_it_failed(output))
        elif status == "run":
            totals.passed += 1
        elif "[ RUN      ]" in output:
            count_output(entry, output, totals)
        else:
            totals.fail(entry, output or f"ctest says: {status}")
    print(totals.passed, totals.failed, totals.skipped)
    return 0 if totals.passed + totals.failed + totals.skipped > 0 else 1


def cases_of(command):
    """SUITE.CASE of a GoogleTest program."""
    suite = ""
    for line in subprocess.run([*command, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout.splitlines():
        name = line.split("#")[0].strip()
        if line.startswith("  "):
            yield suite + name
        elif name.endswith("."):
            suite = name


def select(pattern, build, label):
    wanted = re.compile(pattern)
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "-L", label], capture_output=True, text=True, check=True).stdout
    entries, cases, known = set(), set(), {}
    for test in json.loads(shown)["tests"]:
        entry, command = test["name"], test.get("command", [])
        program = [word for word in command if not word.startswith("--gtest_output=")]
        if program == command:  # not of GoogleTest
            if wanted.search(entry):
                entries.add(entry)
            continue
        folder = re.sub(r"\.\d+of\d+$", "", entry)
        if folder not in known:
            known[folder] = [case for case in cases_of(program) if wanted.search(f"{folder}.{case}")]
        if known[folder]:
            entries.add(entry)
            cases.update(known[folder])
    print("^(" + "|".join(re.escape(entry) for entry in sorted(entries)) + ")$" if entries else "")
    print(":".join(sorted(cases)))
    return 0


def main():
    commands = {"count": (count, 2), "select": (select, 3)}
    if len(sys.argv) < 2 or sys.argv[1] not in commands or len(sys.argv) != 2 + commands[sys.argv[1]][1]:
        print(__doc__, file=sys.stderr)
        return 2
    return commands[sys.argv[1]][0](*sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
