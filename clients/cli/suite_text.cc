#include "clients/cli/suite_text.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/cli/answer.h"
#include "clients/cli/rules_text.h"
#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "rules/suites/cells.h"
#include "rules/suites/suite_names.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;
using rules::DeviceKind;
using rules::DeviceRequest;
using rules::Requirement;

// What is asked for of one kind and with one set of conditions, and how many at most.
struct Wanted {
  std::string what;  // "npu (*910B*)"
  size_t count = 0;
};

std::string WhatOf(const DeviceRequest& request) {
  std::vector<std::string> conditions = request.models;
  conditions.insert(conditions.end(), request.capability.begin(), request.capability.end());
  const std::string kind(rules::DeviceKindKey(request.kind));
  return conditions.empty() ? kind : absl::StrCat(kind, " (", absl::StrJoin(conditions, ", "), ")");
}

void Add(const DeviceRequest& request, const rules::Cell& cell, std::vector<Wanted>& wanted) {
  std::string ignored;
  // A number that this cell does not have is another cell's.
  const size_t count = rules::ResolveCount(request.count, cell, ignored).value_or(0);
  if (request.kind == DeviceKind::kCpu || count == 0) return;
  const std::string what = WhatOf(request);
  auto it = absl::c_find_if(wanted, [&](const Wanted& one) { return one.what == what; });
  if (it == wanted.end()) it = wanted.insert(wanted.end(), {what, 0});
  it->count = std::max(it->count, count);
}

void AddAll(const std::vector<Requirement>& requirements, const rules::Cell& cell, std::vector<Wanted>& wanted) {
  for (const Requirement& requirement : requirements) {
    if (requirement.kind != Requirement::Kind::kDevice || !rules::CellHas(cell, requirement.when)) continue;
    Add(requirement.device, cell, wanted);
  }
}

std::string SourceText(const rules::SourceModel& source) {
  if (!source.own.empty()) return "own: " + source.own;
  if (!source.path.empty()) return source.path;
  return source.ref.empty() ? source.repository : source.repository + "@" + source.ref;
}

// Steps with their cells and shards.
size_t Runs(const rules::SuiteModel& suite) {
  size_t runs = 0;
  for (const rules::SuiteLayer& layer : suite.layers) {
    for (const rules::SuiteStep& step : layer.steps) runs += ExpandCells(suite, step).size() * step.shards;
  }
  return runs;
}

// "8 npu (*910B*)": what the whole suite needs; else "cpu; 2 gpu": what single layers want besides processors.
std::string DevicesText(const rules::SuiteModel& suite) {
  std::vector<Wanted> always;
  std::vector<Wanted> sometimes;
  Add(suite.devices, {}, always);
  AddAll(suite.requirements, {}, always);
  for (const rules::SuiteLayer& layer : suite.layers) {
    for (const rules::SuiteStep& step : layer.steps) {
      for (const rules::Cell& cell : ExpandCells(suite, step)) {
        Add(suite.devices, cell, always);
        AddAll(layer.requirements, cell, sometimes);
        AddAll(step.requirements, cell, sometimes);
      }
    }
  }
  // Without what only some layers and steps want, these are not run; the rest is.
  std::vector<std::string> texts;
  if (always.empty()) texts.emplace_back(rules::DeviceKindKey(DeviceKind::kCpu));
  for (const Wanted& wanted : always.empty() ? sometimes : always) {
    texts.push_back(wanted.count == 1 ? wanted.what : std::to_string(wanted.count) + " " + wanted.what);
  }
  return absl::StrJoin(texts, "; ");
}

}  // namespace

Json SuiteJson(const rules::SuiteModel& suite) {
  Json axes = Json::object();
  for (const auto& [name, values] : suite.matrix.axes) axes[name] = values;
  return Json{{"suite", suite.pack + "/" + suite.id},
              {"pack", suite.pack},
              {"id", suite.id},
              {"title", suite.title},
              {"description", suite.description},
              {"source", SourceText(suite.source)},
              {"devices", DevicesText(suite)},
              {"layers", JsonList(suite.layers, [](const rules::SuiteLayer& layer) { return layer.id; })},
              {"matrix", axes},
              {"steps", Runs(suite)},
              {"recipes", suite.recipes},
              {"digest", suite.digest}};
}

std::string SuiteTable(const std::vector<const rules::SuiteModel*>& suites, const Output& output) {
  Table table;
  table.AlignRight({1, 2});
  table.Header({"suite", "layers", "steps", "devices", "title"});
  for (const rules::SuiteModel* suite : suites) {
    table.Row({{Printable(suite->pack + "/" + suite->id), Style::kStrong},
               std::to_string(suite->layers.size()),
               std::to_string(Runs(*suite)),
               {Printable(DevicesText(*suite)), Style::kFaint},
               Printable(suite->title)});
  }
  return table.Render(0, output.columns(), output.color());
}

Json SuiteCheckJson(const SuiteCheck& check) {
  return Json{{"what", check.what},
              {"valid", check.valid()},
              {"suites", check.suites},
              {"problems", JsonList(check.problems, ProblemJson)},
              {"missing_here", check.missing_here}};
}

std::string SuiteCheckText(const SuiteCheck& check, const Output& output) {
  std::string out = check.valid() ? output.Paint("ok", Style::kGood) + "   " : output.Paint("bad", Style::kBad) + "  ";
  out += Printable(check.what);
  if (check.valid() && !check.suites.empty()) out += "  " + Printable(absl::StrJoin(check.suites, " "));
  out += "\n";
  for (const Problem& problem : check.problems) out += "     " + Printable(problem.ToString()) + "\n";
  for (const std::string& missing : check.missing_here) out += "     not here: " + Printable(missing) + "\n";
  return out;
}

}  // namespace yardmaster::cli
