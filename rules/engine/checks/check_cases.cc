#include "rules/engine/checks/check_cases.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/engine/pack/pack_reader.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

std::string Lines(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string out;
  for (const json& line : value) absl::StrAppend(&out, line.get_ref<const std::string&>(), "\n");
  return out;
}

template <typename T>
std::optional<T> Find(const json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? std::nullopt : std::optional<T>(it->get<T>());
}

std::string ExamplePath(const json& check, const RoleInfo* role) {
  static const std::map<std::string, std::string, std::less<>> kExtensions = {
      {"python", "py"}, {"cpp", "cc"},      {"cuda", "cu"}, {"yaml", "yaml"},
      {"json", "json"}, {"markdown", "md"}, {"text", "txt"}};
  if (role != nullptr) return role->example;
  const auto languages = check.find("languages");
  return "example." + kExtensions.at(languages == check.end() ? "python" : languages->at(0).get<std::string>());
}

void ReadFiles(const json& value, CheckCase& one) {
  for (const auto& [path, text] : value.at("files").items()) one.files.emplace_back(path, Lines(text));
  if (const auto base = value.find("base"); base != value.end()) {
    for (const auto& [path, text] : base->items()) one.base[path] = Lines(text);
  }
  one.renamed = value.value("renamed", std::map<std::string, std::string>());
  one.binary = value.value("binary", std::map<std::string, uint64_t>());
  one.submodules = value.value("submodules", std::vector<std::string>());
  one.stage = Find<int>(value, "stage");
  one.moment = value.value("moment", "");
  one.options = value.value("options", std::map<std::string, std::string>());
  if (const auto profiles = value.find("profiles"); profiles != value.end()) one.profiles = Names(*profiles);
  one.lines = Find<std::vector<uint32_t>>(value, "lines");
  one.count = Find<size_t>(value, "count");
  one.contains = value.value("contains", "");
  one.focus = value.value("focus", "");
  one.skipped = value.value("skipped", false);
}

}  // namespace

std::vector<CheckCase> ReadCheckCases(const PackPiece& check, const RoleInfo* role, Problems& problems) {
  std::vector<CheckCase> out;
  for (const std::string kind : {"bad", "good"}) {
    const json& cases = check.value().at(kind);
    for (size_t i = 0; i < cases.size(); ++i) {
      CheckCase one;
      one.name = absl::StrCat(kind, "/", i);
      one.good = kind == "good";
      if (!cases[i].is_object()) {
        one.files.emplace_back(ExamplePath(check.value(), role), Lines(cases[i]));
      } else if (cases[i].contains("files")) {
        ReadFiles(cases[i], one);
      } else {
        problems.push_back(check.ProblemAt("/" + one.name, "missing key \"files\""));
        continue;
      }
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace yardmaster::rules
