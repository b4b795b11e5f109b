// Any bytes as the files of a pack → loader and compiler, and a decision by what compiles: no crash, and no pack that
// is refused without a problem.
//
// The input is a list of files: a line "=== rubric.json" begins one, the lines below it are its text. They lie over a
// small pack that is valid, so that the search does not have to invent one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rules/engine/compiled_pack.h"
#include "rules/engine/pack/pack_loader.h"
#include "tests/fuzz/check.h"

namespace {

using namespace yardmaster::rules;
using yardmaster::Broken;

PackFiles BaseFiles() {
  return {
      {"parent/pack.json", R"({"name": "parent", "title": "P"})"},
      {"parent/labels.json", R"({"labels": [{"name": "a", "description": "A"}, {"name": "b", "description": "B"}]})"},
      {"parent/rubric.json",
       R"({"topics": ["@t"], "default_zones": {"title": 2, "prose": 1}, "signals": [{"id": "s", "words": ["x"], "label": "a"}],
           "classifiers": [{"id": "c", "kind": "multi_label", "labels": ["a"], "high": 2, "medium": 1}],
           "steps": [{"id": "p", "title": "t", "add_outcome": "c", "because": "b"}]})"},
      {"parent/guardrails.json", R"({"allow": ["a"]})"},
      {"p/pack.json", R"({"name": "p", "title": "P", "extends": "parent"})"},
  };
}

PackFiles FilesOf(std::string_view input) {
  constexpr std::string_view kMark = "=== ";
  PackFiles files = BaseFiles();
  std::string* current = &files["p/rubric.json"];
  bool any = false;
  while (!input.empty()) {
    const size_t end = std::min(input.find('\n'), input.size());
    const std::string_view line = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    if (line.starts_with(kMark)) {
      current = &files["p/" + std::string(line.substr(kMark.size()))];
      current->clear();
      any = true;
    } else {
      current->append(line);
      current->push_back('\n');
      any = true;
    }
  }
  if (!any || files["p/rubric.json"].empty()) files.erase("p/rubric.json");
  return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const PackFiles files = FilesOf(std::string_view(reinterpret_cast<const char*>(data), size));
  yardmaster::Problems problems;
  std::optional<PackModel> model = LoadPack(files, "p", problems);
  if (model.has_value() != problems.empty()) Broken("loaded with problems, or refused without one");
  for (const yardmaster::Problem& problem : problems) {
    if (problem.file.empty() || problem.message.empty()) Broken("a problem without a file or a message");
  }
  if (!model) return 0;

  const std::shared_ptr<const CompiledPack> pack = CompiledPack::Compile(*std::move(model), problems);
  if ((pack != nullptr) != problems.empty()) Broken("compiled with problems, or refused without one");
  if (pack == nullptr) {
    LocateProblems(files, problems);
    return 0;
  }
  IssueText issue;
  issue.title = "x in the title";
  issue.body =
      "prose with x\n\n```python\nimport x\n```\n\nTraceback (most recent call last):\n  File \"x.py\", line 1\n";
  const Decision decision = pack->Decide(issue);
  // Only labels that the guardrails allow may ever be applied.
  for (std::string_view label : decision.applied) {
    bool allowed = false;
    if (pack->model().guardrails) {
      for (const std::string& name : pack->model().guardrails->allow) allowed = allowed || name == label;
    }
    if (!allowed) Broken("a label that is not allowed was applied");
  }
  return 0;
}
