#!/usr/bin/env python3
"""Who may include whom, and whether what comments and pages name exists. Called by run.sh; `tests/layers.py [ROOT]` says what is wrong in the tree ROOT (default: this one), and
`tests/layers.py --self-test` shows on small trees that each rule can fail. Exit: 0 all is well, 1 something is wrong.

A folder is one that holds .cc or .h files; "services/worker" in a rule stands for that folder and all below it."""

import pathlib
import re
import sys
import tempfile

RPC = ("grpc", "grpcpp", "google/protobuf", "yardmaster/v1", "proto/yardmaster/v1")
# Files below → what they may not reach, whatever stands between.
NEVER_REACH = {
    ("clients/forge", "clients/forges", "clients/git", "clients/chat", "clients/jenkins", "clients/command_line", "services/worker", "rules/suites"): (*RPC, "rules/engine"),
    # It judges the daemon's configuration, in which commands name the engine's rights.
    ("clients/doctor",): RPC,
    ("rules",): (*RPC, "clients", "services"),
}
# Who may include any service; who may be included by any.
WIRING = ("services/yardmasterd", "services/yardworker", "clients/cli")
SHARED = ("services/core", "services/intake", "services/packs/registry", "services/commands/pipe/command_handler.h")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
COMMENT = re.compile(r"//(.*)$", re.M)
HEADER = re.compile(r"(?<![\w/.<-])[\w/]+\.h\b")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ +(.+)$", re.M)
CODE = re.compile(r"`([a-z][a-z0-9_./-]*\.(?:cc|h))`")
FENCE = re.compile(r"^(```.*?^```|    .*?$)", re.M | re.S)


def below(path, folder):
    return path == folder or path.startswith(folder + "/")


def below_any(path, folders):
    return any(below(path, folder) for folder in folders)


def folder_of(path):
    return path.rpartition("/")[0]


def service_of(path):
    """"services/X", or empty."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "services" and len(parts) > 2 else ""


def read(root):
    """File → what it includes, both relative to the root."""
    files = {}
    for top in ("proto", "services", "rules", "clients"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".cc", ".h") and path.is_file():
                files[path.relative_to(root).as_posix()] = INCLUDE.findall(path.read_text(encoding="utf-8"))
    return files


def missing_headers(root, files):
    """What comments name and the tree lacks: (file, header), for each file of `files`."""
    paths = {f"/{path}" for path in files}
    for file in files:
        for comment in COMMENT.findall((root / file).read_text(encoding="utf-8")):
            for header in HEADER.findall(comment):
                if not any(path.endswith(f"/{header}") for path in paths):
                    yield file, header


def anchors_of(text):
    """The fragments by which the headings of a page can be linked, as forges make them."""
    anchors, count = set(), {}
    for heading in HEADING.findall(FENCE.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        count[anchor] = count.get(anchor, 0) + 1
        anchors.add(anchor if count[anchor] == 1 else f"{anchor}-{count[anchor] - 1}")
    return anchors


def is_broken(page, text, target, fragment):
    """Whether a link of `page` leads nowhere. Only links within the tree are looked at."""
    if "://" in target or target.startswith("mailto:"):
        return False
    path = page.parent / target if target else page
    if not path.exists():
        return True
    return bool(fragment) and path.suffix == ".md" and fragment not in anchors_of(path.read_text(encoding="utf-8") if target else text)


def missing_in_pages(root, files):
    """What pages link to or name as source and the tree lacks: (page, name)."""
    paths = {f"/{path}" for path in files}
    for page in sorted(root.rglob("*.md")):
        folders = page.relative_to(root).parts[:-1]
        if set(folders) & {"build", "node_modules", "data", "corpus", ".git"}:
            continue
        text = FENCE.sub("", page.read_text(encoding="utf-8"))
        for target, fragment in LINK.findall(text):
            if is_broken(page, text, target, fragment):
                yield page.relative_to(root).as_posix(), target + ("#" + fragment if fragment else "")
        for name in CODE.findall(text):
            if not any(path.endswith(f"/{name}") for path in paths) and not (root / name).exists() and not list(root.glob(f"tests/**/{name}")):
                yield page.relative_to(root).as_posix(), name


def path_to(files, start, forbidden):
    """From `start` to the first forbidden include, as a list; None if there is none."""
    came_from, waiting = {start: None}, [start]
    while waiting:
        file = waiting.pop(0)
        for included in files.get(file, ()):
            if included in came_from:
                continue
            came_from[included] = file
            if forbidden(included):
                path = [included]
                while came_from[path[-1]] is not None:
                    path.append(came_from[path[-1]])
                return path[::-1]
            waiting.append(included)
    return None


def find_cycle(graph):
    """A cycle of a graph (node → {node: why}), as a list of nodes whose first is its last; None if there is none."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for following in sorted(graph.get(node, ())):
            cycle = visit(following)
            if cycle:
                return cycle
        path.pop()
        done.add(node)
        return None

    for node in sorted(graph):
        cycle = visit(node)
        if cycle:
            return cycle
    return None


def check(root):
    """What is wrong → where one sees it."""
    files = read(root)
    wrong = {}

    graph = {}
    for file, included in files.items():
        for other in included:
            if other in files and folder_of(other) != folder_of(file):
                graph.setdefault(folder_of(file), {}).setdefault(folder_of(other), f"{file} includes {other}")
    while cycle := find_cycle(graph):
        steps = [graph[one][other] for one, other in zip(cycle, cycle[1:])]
        wrong[f"folders include each other in a circle: {' > '.join(cycle)}"] = "; ".join(steps)
        del graph[cycle[-2]][cycle[-1]]

    def outside_of_core(included):
        return included in files and folder_of(included) != "services/core" or below_any(included, RPC)

    for file, included in files.items():
        for other in included:
            if folder_of(file) == "services/core" and outside_of_core(other):
                wrong[f"{file} includes {other}, but services/core stands on nothing of ours"] = ""
            if not below_any(file, WIRING) and service_of(other) not in ("", service_of(file)) and service_of(file) and not below_any(other, SHARED):
                wrong[f"{file} includes {other}, but services know each other by {', '.join(SHARED)} only"] = ""

    for folders, forbidden in NEVER_REACH.items():
        def is_forbidden(included, forbidden=forbidden):
            return below_any(included, forbidden) and folder_of(included) != "services/core"

        for file in files:
            path = path_to(files, file, is_forbidden) if below_any(file, folders) else None
            if path:
                wrong[f"{path[0]} reaches {path[-1]}, which is not for {', '.join(folders)}"] = " > ".join(path)
    for file, header in missing_headers(root, files):
        wrong[f"{file}: a comment names {header}, which does not exist"] = ""
    for page, name in missing_in_pages(root, files):
        wrong[f"{page} names {name}, which does not exist"] = ""
    return wrong


def self_test():
    """Each tree breaks one rule, the first none."""
    trees = {
        None: {"services/core/a.h": "", "services/intake/b.h": '#include "services/core/a.h"', "services/triage/c.cc": '#include "services/intake/b.h"'},
        "in a circle": {"rules/a/a.h": '#include "rules/b/b.h"', "rules/b/b.h": '#include "rules/c/c.h"', "rules/c/c.h": '#include "rules/a/a2.h"', "rules/a/a2.h": ""},
        "a comment names old.h": {"rules/a/a.h": "int a;  // as in a.h, not old.h"},
        "names b.cc": {"services/core/a.h": "", "services/core/README.md": "`a.h` and `b.cc`"},
        "names old.md": {"services/core/README.md": "[a page](old.md#part)"},
        "names new.md#old-part": {"services/core/README.md": "[a part](new.md#the-new-part) [one](new.md#old-part)", "services/core/new.md": "# `The` new: part"},
        "names #nowhere": {"services/core/README.md": "# Here\n\n[above](#here) [lost](#nowhere)"},
        "stands on nothing": {"services/core/a.cc": '#include "services/core/store/b.h"', "services/core/store/b.h": ""},
        "know each other": {"services/review/a.cc": '#include "services/triage/b.h"', "services/triage/b.h": ""},
        "a.cc > services/core/b.h > services/core/c.h > grpcpp/grpcpp.h": {
            "clients/forge/github/a.cc": '#include "services/core/b.h"', "services/core/b.h": '#include "services/core/c.h"', "services/core/c.h": "#include <grpcpp/grpcpp.h>"},
        "reaches services/core/store/b.h": {"rules/engine/a.cc": '#include "services/core/store/b.h"', "services/core/store/b.h": ""},
        "reaches rules/engine/b.h": {"services/worker/run/a.cc": '#include "rules/engine/b.h"', "rules/engine/b.h": ""},
    }
    failed = 0
    for expected, tree in trees.items():
        with tempfile.TemporaryDirectory() as folder:
            for name, text in tree.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            wrong = check(pathlib.Path(folder))
        if (expected is None) != (not wrong) or expected and not any(expected in line + where for line, where in wrong.items()):
            failed += 1
            print(f"self-test: expected '{expected}', found {wrong}")
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1]
    wrong = check(root)
    for line, where in sorted(wrong.items()):
        print(line + (f" ({where})" if where else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
