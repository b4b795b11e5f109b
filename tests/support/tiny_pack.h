// A small pack with one of everything that a decision can show, for tests that need a pack but not a project's.
//
// Queue "queue". Signals net.word (title 4, prose 2, code 1), net.error, disk.word, vague; suppressor net.only-code;
// classifiers "team" (exactly one of team a, team b; default team a) and "area" (area: net, area: disk). Steps: done
// (both kinds of label there: marker, stop), team, area, ask (vague: template "more", label "needs info").
#ifndef YARDMASTER_TESTS_SUPPORT_TINY_PACK_H_
#define YARDMASTER_TESTS_SUPPORT_TINY_PACK_H_

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "rules/engine/compiled_pack.h"
#include "rules/engine/pack/pack_loader.h"

namespace yardmaster::testing {

inline rules::PackFiles TinyPackFiles() {
  rules::PackFiles files;
  files["tiny/pack.json"] = R"({"name": "tiny", "title": "A pack for tests", "entry_label": "queue"})";
  files["tiny/labels.json"] = R"({"labels": [
    {"name": "queue", "description": "waits for triage"},
    {"name": "team a", "description": "the first team"}, {"name": "team b", "description": "the second team"},
    {"name": "area: net", "description": "network"}, {"name": "area: disk", "description": "storage"},
    {"name": "needs info", "description": "too little to go on"}, {"name": "done", "description": "marker"}]})";
  files["tiny/templates.json"] =
      R"({"templates": [{"id": "more", "purpose": "asks", "body": ["Please tell us more.", "What did you run?"]}]})";
  files["tiny/rubric.json"] = R"({
    "topics": ["@vague"],
    "default_zones": {"title": 4, "prose": 2, "code": 1, "heading": 2},
    "signals": [
      {"id": "net.word", "words": ["socket", "网络"], "labels": {"area: net": 1, "team b": 0.5}},
      {"id": "net.error", "errors": ["ConnectionError"], "zones": {"prose": 6, "code": 6, "trace": 6}, "label": "area: net"},
      {"id": "disk.word", "words": ["disk"], "labels": {"area: disk": 1, "team a": 0.5}},
      {"id": "vague.word", "phrases": ["does not work"], "label": "@vague"}],
    "suppressors": [
      {"id": "net.only-code", "label": "area: net", "when": {"only_zones": {"label": "area: net", "zones": ["code"]}}, "factor": 0.25,
       "reason": "a socket in code alone says nothing"}],
    "classifiers": [
      {"id": "team", "kind": "exactly_one", "labels": ["team a", "team b"], "high": 3, "medium": 1, "default": "team a", "keep_existing": true},
      {"id": "area", "kind": "multi_label", "labels": ["area: net", "area: disk"], "high": 4, "medium": 2},
      {"id": "vague", "kind": "multi_label", "labels": ["@vague"], "high": 4, "medium": 2}],
    "steps": [
      {"id": "done", "title": "People did it", "when": {"all": [{"labels_before": ["team a", "team b"]}, {"labels_before": ["area: net", "area: disk"]}]},
       "marker": true, "stop": true, "because": "people have chosen a team and an area"},
      {"id": "team", "title": "Team", "when": true, "add_outcome": "team", "marker": true, "because": "every issue has one team"},
      {"id": "area", "title": "Area", "when": {"any": [{"label": "area: net"}, {"label": "area: disk"}]}, "add_outcome": "area",
       "because": "the text names an area"},
      {"id": "ask", "title": "Ask", "when": {"label": "@vague"}, "add": "needs info", "comment": "more", "because": "nothing to go on"}]})";
  files["tiny/guardrails.json"] = R"({
    "allow": ["team a", "team b", "area: net", "area: disk", "needs info", "done"],
    "never": ["high priority"], "never_patterns": ["^sev"], "exactly_one": [["team a", "team b"]], "exclusions": [], "redundant": [],
    "markers": ["done"], "templates": ["more"]})";
  return files;
}

// Throws with the problems if the pack does not load: the test is broken then.
inline std::shared_ptr<const rules::CompiledPack> CompileTinyPack(const rules::PackFiles& files = TinyPackFiles(),
                                                                  const std::string& name = "tiny") {
  Problems problems;
  std::optional<rules::PackModel> model = rules::LoadPack(files, name, problems);
  std::shared_ptr<const rules::CompiledPack> pack;
  if (model.has_value()) pack = rules::CompiledPack::Compile(*std::move(model), problems);
  if (pack != nullptr) return pack;
  std::string all;
  for (const Problem& problem : problems) all += problem.ToString() + "\n";
  throw std::runtime_error(all);
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_TINY_PACK_H_
