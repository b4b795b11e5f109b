// A small pack of checks for tests of reviews: operators with kernels, goldens, documents and a state file.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_REVIEW_PACK_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_REVIEW_PACK_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "rules/engine/checks/check_set.h"

namespace yardmaster::testing {

inline rules::PackFiles ReviewPackFiles() {
  rules::PackFiles files;
  files["lantern/pack.json"] = R"({"name": "lantern", "title": "kernels"})";
  files["lantern/guardrails.json"] =
      R"({"allow": [], "never": [], "never_patterns": [], "exactly_one": [], "exclusions": [], "redundant": [],
          "markers": [], "templates": []})";
  files["lantern/checks/checks.json"] = R"JSON({
    "roles": [
      {"role": "golden", "path": "(?:.*/)?(?P<op>[a-z0-9_]+?)(?:_module(?P<module>[0-9]+))?_golden\\.py", "example": "demo_golden.py"},
      {"role": "test", "path": "(?:.*/)?test_(?P<op>[a-z0-9_]+)\\.py", "example": "test_demo.py"},
      {"role": "impl", "path": "(?:.*/)?(?P<op>[a-z0-9_]+?)(?:_module(?P<module>[0-9]+))?_impl\\.py", "example": "demo_impl.py"},
      {"role": "design", "path": "(?:.*/)?DESIGN\\.md", "example": "DESIGN.md"},
      {"role": "spec", "path": "(?:.*/)?SPEC\\.md", "example": "SPEC.md"},
      {"role": "state", "path": "(?:.*/)?state\\.json", "example": "state.json"}],
    "profiles": [{"id": "strict", "title": "all"}, {"id": "relaxed", "title": "less", "default": true}],
    "moments": [{"id": "edit", "title": "e"}, {"id": "pre-edit", "title": "p"}, {"id": "shell", "title": "s"},
                {"id": "frozen", "title": "f"}, {"id": "phase", "title": "ph"}, {"id": "stage", "title": "st"}],
    "lists": {"stage_roles": ["state"], "stage_pointer": ["/stage"], "lone_roles": ["impl"],
              "run_verbs": ["python", "pytest"], "run_roles": ["test"], "run_fail": ["[BAD]"], "run_pass": ["[GOOD]"],
              "run_verdicts": ["wrong", "right", "dead", "silent"],
              "run_state": ["stage /stage", "phase /phases/active", "status /phases/{phase}/status", "none /absent"],
              "run_next_en": ["debug", "go on", "look at the machine", "print a marker"],
              "run_next_zh": ["调试", "继续", "检查环境", "输出标记"],
              "block_en": ["[lantern] blocked:", "Mend it."], "block_zh": ["[lantern] 未通过：", "请修复。"]},
    "checks": [
      {"id": "L1", "title": "no return", "severity": "S0", "roles": ["impl"], "at": ["edit", "phase", "stage"],
       "each": "return", "message": "`{function.name}` returns", "message_zh": "不要 return", "fix": "Drop it.",
       "fix_zh": "去掉。", "bad": [["def k():", "    return 1"]], "good": [["def k(): pass"]]},
      {"id": "L2", "title": "no prints", "severity": "S2", "roles": ["impl"], "at": ["edit", "stage"], "stages": [5],
       "each": "call", "where": {"name": "print"}, "message": "`print` is called", "fix": "Log.",
       "bad": [["print(1)"]], "good": [["log(1)"]]},
      {"id": "L3", "title": "a golden beside it", "severity": "S1", "roles": ["impl"], "at": ["phase", "stage"],
       "needs": ["golden"], "each": "file",
       "where": {"absent": {"each": "function", "files": "golden", "where": {"name": "{row.file.op}_golden"}}},
       "message": "the golden has no `{file.op}_golden`", "fix": "Write it.",
       "bad": [{"files": {"demo_impl.py": "", "demo_golden.py": "def other(): pass"}}],
       "good": [{"files": {"demo_impl.py": "", "demo_golden.py": "def demo_golden(): pass"}}]},
      {"id": "L4", "title": "strict only", "severity": "S3", "roles": ["impl"], "profiles": ["strict"], "at": ["edit"],
       "each": "file", "message": "seen", "fix": "Nothing.",
       "bad": [{"files": {"demo_impl.py": ""}}], "good": [{"files": {"demo_golden.py": ""}}]},
      {"id": "L5", "title": "no input", "severity": "S3", "roles": ["impl"], "at": ["edit"], "stages": [6],
       "each": "call", "where": {"name": "input"}, "message": "`input` is called", "fix": "Take an argument.",
       "bad": [["input()"]], "good": [["log(1)"]]},
      {"id": "G1", "title": "the state is not edited", "severity": "S0", "roles": ["state"], "at": ["pre-edit", "shell"],
       "each": "file", "where": {"moment": ["pre-edit", "shell"]}, "message": "the state belongs to its tool",
       "fix": "Use the tool.",
       "bad": [{"files": {"state.json": "{}"}, "moment": "pre-edit"}], "good": [{"files": {"demo_impl.py": ""}}]},
      {"id": "G2", "title": "kernels are not written by the shell", "severity": "S0", "roles": ["impl"], "at": ["shell"],
       "each": "file", "where": {"moment": "shell"}, "message": "`{name}` is written by a shell command",
       "fix": "Edit it.",
       "bad": [{"files": {"demo_impl.py": ""}, "moment": "shell"}], "good": [{"files": {"demo_golden.py": ""}}]},
      {"id": "G3", "title": "the spec is frozen", "severity": "S0", "roles": ["spec"], "at": ["frozen", "pre-edit"],
       "each": "file",
       "where": {"moment": ["frozen", "pre-edit"],
                 "exists": {"each": "entry", "files": "state", "where": {"pointer": "/stage", "number": {"at_least": 2}}}},
       "message": "SPEC.md is frozen", "fix": "Leave it.",
       "bad": [{"files": {"SPEC.md": "#", "state.json": "{\"stage\": 2}"}, "moment": "frozen"}],
       "good": [{"files": {"SPEC.md": "#", "state.json": "{\"stage\": 1}"}, "moment": "frozen"}]}
    ]})JSON";
  return files;
}

inline std::shared_ptr<const rules::CheckSet> ReviewPack() {
  Problems problems;
  std::shared_ptr<const rules::CheckSet> checks = rules::LoadChecks(ReviewPackFiles(), "lantern", problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  return checks;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_REVIEW_PACK_H_
