// Manifests for tests: a small valid one, and what is wrong with changed ones.
#ifndef YARDMASTER_TESTS_UNIT_RULES_ENGINE_SUITES_SUITE_TEXTS_H_
#define YARDMASTER_TESTS_UNIT_RULES_ENGINE_SUITES_SUITE_TEXTS_H_

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rules/engine/suites/load_suites.h"

namespace yardmaster::rules {

// A step with ranks that is repeated over two axes, after one without.
inline nlohmann::ordered_json ValidSuite() {
  return nlohmann::ordered_json::parse(R"({
    "id": "tiny", "title": "A suite for tests", "source": {"own": "tiny"},
    "environment": {"variables": {"Z": "${SOURCE}", "A": "1"}, "pass": ["HOME_OF_TOOLS"]},
    "matrix": {"axes": {"world_size": [2, 8], "dtype": ["float32", "bfloat16"]}, "exclude": [{"dtype": "bfloat16", "world_size": 8}]},
    "limits": {"build_s": 60, "step_s": 30, "silence_s": 20},
    "requires": [{"tool": "cmake", "version": ">=3.20"}, {"module": "torch"}],
    "install": {"by": "apt install everything", "brings": ["torch"]},
    "build": [{"id": "configure", "run": ["cmake", "-S", "${SOURCE}", "-B", "${BUILD}"]}],
    "layers": [
      {"id": "import", "kind": "import", "required": true, "steps": [{"id": "import", "run": ["${PYTHON}", "-c", "import torch"]}]},
      {"id": "ranks", "kind": "correctness", "after": ["import"], "steps": [
        {"id": "reduce", "run": ["${PYTHON}", "-m", "pytest", "--junitxml=${OUT}/junit.xml"], "axes": ["dtype", "world_size"],
         "launcher": {"kind": "plain", "world_size": "${matrix.world_size}"},
         "reports": [{"format": "junit", "file": "${OUT}/junit.xml"}],
         "comparison": {"tolerances": {"float32": {"rtol": 1e-5, "atol": 1e-6}}, "required": true}}]}]})");
}

inline std::string ManifestOf(const nlohmann::ordered_json& suite) {
  return nlohmann::ordered_json({{"suites", {suite}}}).dump();
}

// What is wrong with a manifest, as people read it, without place. One problem a text.
inline std::vector<std::string> ProblemsOf(const nlohmann::ordered_json& suite) {
  Problems problems;
  const auto model = LoadSuiteManifest("f.json", ManifestOf(suite), "", problems);
  EXPECT_EQ(model == nullptr, !problems.empty());
  std::vector<std::string> texts;
  for (const Problem& problem : problems) {
    EXPECT_EQ(problem.file, "f.json");
    EXPECT_GT(problem.line, 0u) << problem.message;
    texts.push_back(problem.pointer + ": " + problem.message);
  }
  return texts;
}

// The same after one value was changed.
inline std::vector<std::string> ProblemsWith(const std::string& pointer, const std::string& value) {
  nlohmann::ordered_json suite = ValidSuite();
  suite[nlohmann::ordered_json::json_pointer(pointer)] = nlohmann::ordered_json::parse(value);
  return ProblemsOf(suite);
}

}  // namespace yardmaster::rules

#endif  // YARDMASTER_TESTS_UNIT_RULES_ENGINE_SUITES_SUITE_TEXTS_H_
