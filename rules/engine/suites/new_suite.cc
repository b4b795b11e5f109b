#include "rules/engine/suites/new_suite.h"

#include <cstddef>
#include <utility>

#include "rules/engine/pack/schema_texts.h"

namespace yardmaster::rules {
namespace {

using Json = nlohmann::ordered_json;

// What fits into a line of this width is written on one.
constexpr size_t kColumns = 120;

// What a step runs and how its outcome is read: pytest on a folder, or an example of a program that says by lines of
// its own what it tested.
void AddCommand(Json& step, const std::string& tests) {
  if (!tests.empty()) {
    step["run"] = {"${PYTHON}", "-m", "pytest", "--junitxml=${OUT}/junit.xml", tests};
    step["reports"] = {{{"format", "junit"}, {"file", "${OUT}/junit.xml"}}};
    return;
  }
  step["run"] = {"${PYTHON}", "-c", "print('PASS adds' if 1 + 1 == 2 else 'FAIL adds')"};
  step["reports"] = {{{"format", "markers"},
                      {"pass", "^PASS "},
                      {"fail", "^FAIL "},
                      {"line", "^(?P<verdict>PASS|FAIL) (?P<name>\\S+)$"}}};
}

// MPI programs read their rank from MPI; the others from RANK and WORLD_SIZE, which all launchers set.
Json RankedLayer(std::string_view launcher, const std::string& tests) {
  Json step = {{"id", "ranks"},
               {"title",
                "The same tests by every rank, once for each world size. ${OUT} is a folder of the rank, so no report "
                "overwrites another"},
               {"axes", {"world_size", "dtype"}},
               {"variables", {{"TEST_DTYPE", "${matrix.dtype}"}, {"TENSORS", "${TENSORS}"}}},
               {"launcher", {{"kind", launcher}, {"world_size", "${matrix.world_size}"}, {"oversubscribe", true}}},
               {"comparison",
                {{"tolerances",
                  {{"float32", {{"rtol", 1e-5}, {"atol", 1e-6}}}, {"bfloat16", {{"rtol", 0.0078125}, {"atol", 1e-4}}}}},
                 {"required", false}}}};
  AddCommand(step, tests);
  return {{"id", "ranks"},
          {"title",
           "Ranks against a single-process reference; tensors that the tests leave in ${TENSORS} as "
           "NAME.actual.npy and NAME.expected.npy are compared by the worker, too"},
          {"kind", "correctness"},
          {"after", {"unit"}},
          {"steps", {step}}};
}

// One line if it fits behind `column`, else one line for each member.
void Write(const Json& value, size_t indent, size_t column, std::string& out) {
  const std::string flat = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string spaced;
  bool in_text = false;
  for (size_t i = 0; i < flat.size(); ++i) {
    spaced += flat[i];
    if (flat[i] == '"' && (i == 0 || flat[i - 1] != '\\')) in_text = !in_text;
    if (!in_text && (flat[i] == ',' || flat[i] == ':')) spaced += ' ';
  }
  if (!value.is_structured() || (indent > 4 && column + spaced.size() < kColumns)) {
    out += spaced;
    return;
  }
  const std::string pad(indent + 2, ' ');
  out += value.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& [key, member] : value.items()) {
    out += (first ? "\n" : ",\n") + pad;
    first = false;
    std::string name;
    if (value.is_object()) name = Json(key).dump() + ": ";
    out += name;
    Write(member, indent + 2, pad.size() + name.size(), out);
  }
  out += "\n" + std::string(indent, ' ') + (value.is_object() ? "}" : "]");
}

}  // namespace

std::vector<std::string> LauncherNames() {
  for (const SchemaText& schema : SchemaTexts()) {
    if (schema.name != "suites") continue;
    return nlohmann::json::parse(schema.text)
        .at(nlohmann::json::json_pointer("/definitions/launcher/properties/kind/enum"));
  }
  return {};
}

Json NewSuite(std::string_view id, std::string_view launcher, const NewSuiteProject& project) {
  const bool ranks = launcher != kNoLauncher;
  Json suite = {
      {"id", id},
      {"title", project.title},
      {"description",
       "What it can't tell. Change the source, the folders of the tests and what is required; keys that "
       "are not needed may go. The schema describes every key."},
      {"source", {{"repository", project.repository}, {"ref", project.ref}}},
      {"environment", {{"variables", {{"PYTHONPATH", "${BUILD}/site:${SOURCE}"}}}, {"unset", {"PYTEST_ADDOPTS"}}}},
      {"devices", {{"kind", "cpu"}}},
      {"limits", {{"build_s", 1800}, {"step_s", 1800}, {"silence_s", 600}}},
      {"requires", {{{"module", "pytest"}}}},
      {"build",
       {{{"id", "install"},
         {"title",
          "A Python project is installed; one without a build is tested where it lies. Build output belongs into "
          "${BUILD}"},
         {"shell",
          "[ ! -e pyproject.toml ] && [ ! -e setup.py ] || \"${PYTHON}\" -m pip install --no-deps "
          "--no-build-isolation --target \"${BUILD}/site\" \"${SOURCE}\""}}}}};
  if (!project.path.empty()) {
    suite["source"] = {{"path", project.path}};
    if (!project.repository.empty()) {
      suite["description"] =
          "The source is a folder of this machine. To run it on others, too, write instead \"source\": "
          "{\"repository\": \"" +
          project.repository + "\", \"ref\": \"" + project.ref + "\"}.";
    }
  }
  if (project.tests.empty()) suite.erase("requires");
  if (!project.interpreter.empty()) suite["environment"]["interpreter"] = project.interpreter;
  if (ranks) suite["matrix"] = {{"axes", {{"world_size", {2, 8}}, {"dtype", {"float32"}}}}};
  Json unit = {{"id", project.tests.empty() ? "example" : "pytest"}};
  if (project.tests.empty())
    unit["title"] = "An example, to be replaced by tests: a line of PASS or FAIL and a name is one";
  AddCommand(unit, project.tests);
  suite["layers"] = {{{"id", "import"},
                      {"title", "Can it be imported at all"},
                      {"kind", "import"},
                      {"required", true},
                      {"steps", {{{"id", "import"}, {"run", {"${PYTHON}", "-c", "import json"}}}}}},
                     {{"id", "unit"},
                      {"title", "Tests of one process"},
                      {"kind", "correctness"},
                      {"after", {"import"}},
                      {"steps", Json::array({std::move(unit)})}}};
  if (ranks) suite["layers"].push_back(RankedLayer(launcher, project.tests.empty() ? "" : project.ranked_tests));
  return {{"suites", Json::array({std::move(suite)})}};
}

std::string NewSuiteText(std::string_view id, std::string_view launcher, const NewSuiteProject& project) {
  std::string out;
  Write(NewSuite(id, launcher, project), 0, 0, out);
  return out + "\n";
}

}  // namespace yardmaster::rules
