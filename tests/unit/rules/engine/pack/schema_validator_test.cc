#include "rules/engine/pack/schema_validator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#define VALIJSON_USE_EXCEPTIONS 1
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "rules/engine/pack/schema_texts.h"
#include "tests/support/source_path.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using valijson::adapters::NlohmannJsonAdapter;

std::vector<std::string> Differences(std::string_view schema, std::string_view text) {
  Problems problems;
  const auto document = JsonDocument::Parse("f", text, JsonLimits(), problems);
  EXPECT_TRUE(document) << (problems.empty() ? "" : problems[0].ToString());
  if (!document) return {};
  const bool valid = SchemaValidator::Get().Validate(schema, *document, problems);
  EXPECT_EQ(valid, problems.empty());
  std::vector<std::string> out;
  for (const Problem& problem : problems) out.push_back(problem.ToString());
  return out;
}

// Calls `visit` for every schema object inside of `schema`.
template <typename Visit>
void ForEachSubschema(const json& schema, Visit visit) {
  visit(schema);
  for (const char* map : {"properties", "definitions"}) {
    if (!schema.contains(map)) continue;
    for (const auto& [name, child] : schema[map].items()) ForEachSubschema(child, visit);
  }
  for (const char* one : {"items", "additionalProperties", "not"}) {
    if (schema.contains(one) && schema[one].is_object()) ForEachSubschema(schema[one], visit);
  }
  for (const char* list : {"oneOf", "anyOf"}) {
    if (!schema.contains(list)) continue;
    for (const json& child : schema[list]) ForEachSubschema(child, visit);
  }
}

TEST(Schemas, EveryKindOfFileHasOne) {
  std::set<std::string_view> names;
  for (const SchemaText& schema : SchemaTexts()) names.insert(schema.name);
  EXPECT_THAT(names,
              ElementsAre("cases", "checks", "commands", "guardrails", "labels", "linters", "pack", "phrases",
                          "pipeline", "recipes", "repository", "rubric", "signatures", "suites", "templates", "zones"));
}

TEST(Schemas, UseOnlyKeywordsThatCanBeExplained) {
  const std::set<std::string> known = {
      "$schema",     "$ref",          "title",   "description", "type",      "enum",      "properties",
      "required",    "dependencies",  "items",   "minItems",    "minLength", "maxLength", "additionalProperties",
      "minimum",     "maximum",       "pattern", "oneOf",       "anyOf",     "not",       "exclusiveMinimum",
      "definitions", "minProperties", "maxItems"};
  for (const SchemaText& schema : SchemaTexts()) {
    ForEachSubschema(json::parse(schema.text), [&](const json& part) {
      for (const auto& [key, value] : part.items()) EXPECT_EQ(known.count(key), 1u) << schema.name << ": " << key;
    });
  }
}

TEST(Schemas, EveryObjectWithKeysOfItsOwnRefusesOthers) {
  for (const SchemaText& schema : SchemaTexts()) {
    ForEachSubschema(json::parse(schema.text), [&](const json& part) {
      if (!part.contains("properties")) return;
      EXPECT_EQ(part.value("additionalProperties", json()), false) << part.dump(1);
    });
  }
}

TEST(Schemas, EveryKeyIsDescribed) {
  for (const SchemaText& schema : SchemaTexts()) {
    const json root = json::parse(schema.text);
    EXPECT_TRUE(root.contains("description")) << schema.name;
    ForEachSubschema(root, [&](const json& part) {
      if (!part.contains("properties")) return;
      for (const auto& [key, child] : part["properties"].items()) {
        // Zone weights are described once, with their object.
        if (child.value("type", json()) == "number" && part["properties"].contains("html_comment")) continue;
        EXPECT_TRUE(child.contains("description") || child.contains("$ref")) << schema.name << ": " << key;
      }
    });
  }
}

TEST(SchemaValidator, AValidFileHasNoDifferences) {
  EXPECT_THAT(Differences("pack", R"({"$schema": "x", "name": "p", "title": "P"})"), IsEmpty());
  EXPECT_THAT(Differences("rubric", "{}"), IsEmpty());
  EXPECT_THAT(Differences("rubric", R"({"signals": [{"id": "a", "words": ["x"], "zones": ["title"], "when": true}]})"),
              IsEmpty());
}

TEST(SchemaValidator, AnUnknownKeyIsNamedWithTheNearestKnownOne) {
  const auto differences = Differences("pack", "{\"name\": \"p\", \"title\": \"P\",\n  \"extend\": \"q\"}");
  ASSERT_THAT(differences, SizeIs(1));
  EXPECT_THAT(differences[0], HasSubstr("f:2:13: /extend: unknown key \"extend\"; expected one of \"$schema\", "));
  EXPECT_THAT(differences[0], HasSubstr("; did you mean \"extends\"?"));
  EXPECT_THAT(
      Differences("labels", R"({"labels": [{"name": "a", "description": "b", "farbe": 1}]})"),
      ElementsAre("f:1:56: /labels/0/farbe: unknown key \"farbe\"; expected one of \"description\" or \"name\""));
}

TEST(SchemaValidator, MissingKeysAndWrongTypesAreToldApart) {
  EXPECT_THAT(
      Differences("labels", R"({"labels": [{"name": 7}, "x"]})"),
      ElementsAre("f:1:22: /labels/0/name: expected a string, got 7",
                  "f:1:13: /labels/0: missing key \"description\"; expected the keys \"name\" and \"description\"",
                  "f:1:26: /labels/1: expected an object, got \"x\""));
  EXPECT_THAT(Differences("labels", "[]"), ElementsAre("f:1:1: expected an object, got an empty list"));
  EXPECT_THAT(Differences("guardrails", R"({"max_labels": 2.5})"),
              ElementsAre("f:1:16: /max_labels: expected an integer, got 2.5"));
  EXPECT_THAT(Differences("templates", R"({"templates": [{"id": "a", "purpose": "p", "body": null}]})"),
              ElementsAre("f:1:52: /templates/0/body: expected a string or a list, got null"));
}

TEST(SchemaValidator, AWordThatIsNotAllowedIsNamedWithTheAllowedOnes) {
  EXPECT_THAT(Differences("rubric", R"({"signals": [{"id": "a", "words": ["x"], "zones": ["titel"]}]})"),
              ElementsAre(HasSubstr(
                  "/signals/0/zones/0: expected one of \"title\", \"prose\", \"heading\", \"code\", \"trace\", "
                  "\"environment\", \"quote\", \"html_comment\", \"boilerplate\", \"command\" or "
                  "\"overflow\", got \"titel\"; did you mean \"title\"?")));
}

TEST(SchemaValidator, NumbersOutOfRangeNameTheRange) {
  EXPECT_THAT(Differences("rubric", R"({"comment_factor": 1.5})"),
              ElementsAre("f:1:20: /comment_factor: expected a number of at most 1, got 1.5"));
  EXPECT_THAT(Differences("rubric", R"({"default_zones": {"title": -1}})"),
              ElementsAre("f:1:29: /default_zones/title: expected a number of at least 0, got -1"));
  EXPECT_THAT(Differences("guardrails", R"({"duplicate_comment_similarity": 0})"),
              ElementsAre("f:1:34: /duplicate_comment_similarity: expected a number greater than 0, got 0"));
}

TEST(SchemaValidator, EmptyAndOverlongTextsAreRefused) {
  EXPECT_THAT(Differences("zones", R"({"trace_lines": ["a", ""]})"),
              ElementsAre("f:1:23: /trace_lines/1: expected a string that is not empty"));
  EXPECT_THAT(
      Differences("labels", "{\"labels\": [{\"name\": \"" + std::string(101, 'x') + "\", \"description\": \"d\"}]}"),
      ElementsAre(HasSubstr("expected a string of at most 100 characters, got 101")));
  // 100 characters of three bytes each.
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "分";
  EXPECT_THAT(Differences("labels", "{\"labels\": [{\"name\": \"" + wide + "\", \"description\": \"d\"}]}"), IsEmpty());
  EXPECT_THAT(Differences("rubric", R"({"signals": [{"id": "a", "words": []}]})"),
              ElementsAre("f:1:35: /signals/0/words: expected a list of at least 1 entry, got 0"));
}

TEST(SchemaValidator, IdsHaveOneSpelling) {
  EXPECT_THAT(
      Differences("rubric", R"({"signals": [{"id": "FSDP api", "words": ["x"]}]})"),
      ElementsAre("f:1:21: /signals/0/id: expected a string that matches ^[a-z0-9][a-z0-9._-]*$, got \"FSDP api\""));
}

TEST(SchemaValidator, AVeryLongIdIsRefusedWithoutHarm) {
  EXPECT_THAT(
      Differences("rubric", "{\"signals\": [{\"id\": \"" + std::string(1000000, 'a') + "\", \"words\": [\"x\"]}]}"),
      ElementsAre(HasSubstr("at most 128 characters")));
}

TEST(SchemaValidator, ASignalNeedsSomethingToLookFor) {
  EXPECT_THAT(
      Differences("rubric", R"({"signals": [{"id": "a"}]})"),
      ElementsAre(
          "f:1:14: /signals/0: expected at least one of the keys \"words\", \"exact\", \"phrases\", \"patterns\", "
          "\"imports\", \"frames\", \"errors\" and \"when\", got none of them"));
  EXPECT_THAT(Differences("rubric", R"({"signals": [{"id": "a", "words": ["x"], "label": "l", "labels": {"m": 1}}]})"),
              ElementsAre("f:1:14: /signals/0: expected only one of the keys \"label\" and \"labels\""));
}

TEST(SchemaValidator, AConditionHasExactlyOneForm) {
  const auto differences = [](const std::string& condition) {
    return Differences("rubric",
                       R"({"steps": [{"id": "a", "title": "t", "because": "b", "when": )" + condition + "}]}");
  };
  for (const char* good : {"true", R"({"all": [true, {"not": {"signal": "s"}}]})",
                           R"({"any": [{"label": ["a", "b"], "at_least": "LOW"}]})",
                           R"({"signal": ["a"], "zones": ["title"]})", R"({"label": "a", "min_score": 0.5})",
                           R"({"only_zones": {"label": "a", "zones": ["code"]}})", R"({"outcome": "c", "is": "a"})",
                           R"({"labels_before": ["a"]})", R"({"step": "s"})", R"({"body_shorter_than": 30})"}) {
    EXPECT_THAT(differences(good), IsEmpty()) << good;
  }
  EXPECT_THAT(differences("false"),
              ElementsAre(HasSubstr("/steps/0/when: expected a condition: true, or an object with exactly one")));
  EXPECT_THAT(differences("[]"), ElementsAre(HasSubstr("got an empty list")));
  EXPECT_THAT(differences("{}"), ElementsAre(HasSubstr("got none of them")));
  EXPECT_THAT(differences(R"({"label": "a", "signal": "b"})"), ElementsAre(HasSubstr("got 2 of them")));
  EXPECT_THAT(differences(R"({"signl": "b"})"), ElementsAre(HasSubstr("did you mean \"signal\"?")));
  EXPECT_THAT(differences(R"({"label": "a", "zones": ["code"]})"),
              ElementsAre(HasSubstr("/steps/0/when/zones: key \"zones\" without \"signal\"; expected both")));
  EXPECT_THAT(differences(R"({"outcome": "a"})"), ElementsAre(HasSubstr("key \"outcome\" without \"is\"")));
  EXPECT_THAT(differences(R"({"label": "a", "at_least": "LOW", "min_score": 1})"),
              ElementsAre(HasSubstr("expected only one of")));
  EXPECT_THAT(differences(R"({"all": [{"any": []}]})"),
              ElementsAre(HasSubstr("/steps/0/when/all/0/any: expected a list of at least 1 entry, got 0")));
}

TEST(SchemaValidator, ACaseExpectsSomething) {
  EXPECT_THAT(Differences("cases", R"({"cases": [{"id": "a", "title": "t", "body": ""}]})"),
              ElementsAre(HasSubstr("/cases/0: expected at least one of the keys")));
  EXPECT_THAT(
      Differences("cases", R"({"cases": [{"id": "a", "title": "t", "body": ["x", "", "y"], "comment": null}]})"),
      IsEmpty());
}

TEST(SchemaValidator, CountlessDifferencesAreNotAllListed) {
  std::string text = "{\"signals\": [0";
  for (int i = 0; i < 100000; ++i) text += ",0";
  EXPECT_THAT(Differences("rubric", text + "]}"), SizeIs(kMaxProblemsPerFile));
}

TEST(SchemaValidator, DeepConditionsAreJudgedToTheirEnd) {
  std::string condition = "\"x\"";
  for (int i = 0; i < 28; ++i) condition.insert(0, "{\"all\": [").append("]}");
  const auto differences =
      Differences("rubric", R"({"steps": [{"id": "a", "title": "t", "because": "b", "when": )" + condition + "}]}");
  ASSERT_THAT(differences, SizeIs(1));
  EXPECT_THAT(differences[0], HasSubstr("/all/0: expected a condition"));
}

TEST(SchemaValidator, AnUnknownSchemaIsNotTakenForValid) {
  EXPECT_THAT(Differences("nothing", "{}"), ElementsAre(HasSubstr("no schema named \"nothing\"")));
}

TEST(SchemaValidator, ManyThreadsMayUseTheOneValidator) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < 50; ++k) EXPECT_THAT(Differences("labels", R"({"labels": [{"name": 7}]})"), SizeIs(2));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// What a slip of the hand makes of a value: another type, too little, too much.
std::vector<json> Slips(const json& value) {
  std::vector<json> out = {json(), json(true), json(-1), json(""), json::array(), json::object(), json({{"k", 1}})};
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      json without = value;
      without.erase(key);
      out.push_back(std::move(without));
    }
    json more = value;
    more["unheard_of"] = 1;
    out.push_back(std::move(more));
  }
  if (value.is_array() && !value.empty()) {
    json more = value;
    more.push_back(value.front());
    out.push_back(std::move(more));
    out.push_back(json::array({value.front()}));
  }
  if (value.is_string()) out.push_back(value.get<std::string>() + "?");
  if (value.is_number()) out.push_back(1e9);
  return out;
}

TEST(SchemaValidator, WhatWasGivenBackIsMadeAgainAndNotTakenFromThoseWhoUseIt) {
  const std::vector<std::string> before = Differences("labels", R"({"labels": 1})");
  EXPECT_THAT(before, SizeIs(1));
  std::jthread forgets([](const std::stop_token& stop) {
    while (!stop.stop_requested()) SchemaValidator::Get().Forget();
  });
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Differences("labels", R"({"labels": 1})"), before);
    EXPECT_THAT(Differences("labels", R"({"labels": []})"), IsEmpty());
  }
}

// What the library says of a document.
class ReferenceValidator {
 public:
  ReferenceValidator() {
    for (const SchemaText& schema : SchemaTexts()) {
      valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
      parser.populateSchema(NlohmannJsonAdapter(json::parse(schema.text)), schemas_[schema.name]);
    }
  }

  bool Validate(std::string_view schema, const json& value) const {
    valijson::Validator validator;
    return validator.validate(schemas_.at(schema), NlohmannJsonAdapter(value),
                              static_cast<valijson::ValidationResults*>(nullptr));
  }

 private:
  std::map<std::string_view, valijson::Schema> schemas_;
};

TEST(SchemaValidator, AgreesWithTheLibrary) {
  const ReferenceValidator reference;
  const std::filesystem::path packs = yardmaster::testing::SourcePath("rules/packs");
  size_t valid = 0;
  size_t compared = 0;
  std::map<std::string, int> files_of_schema;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(packs)) {
    if (entry.path().extension() != ".json") continue;
    // A folder of files has the name of their schema.
    const std::filesystem::path inner = std::filesystem::relative(entry.path(), packs);
    const std::string kind =
        std::distance(inner.begin(), inner.end()) > 2 ? std::next(inner.begin())->string() : inner.stem().string();
    const std::string schema = kind == "signals" ? "rubric" : kind;
    // A few files of each kind say it all.
    if (files_of_schema[schema] >= 2) continue;
    std::ifstream stream(entry.path());
    const json whole = json::parse(stream);
    const auto compare = [&](const json& value) {
      Problems problems;
      const auto document = JsonDocument::Parse("f", value.dump(), JsonLimits(), problems);
      ASSERT_TRUE(document);
      const bool is_valid = SchemaValidator::Get().Validate(schema, *document, problems);
      EXPECT_EQ(reference.Validate(schema, value), is_valid)
          << inner << ": " << (problems.empty() ? value.dump() : problems[0].ToString());
      valid += is_valid ? 1 : 0;
      ++compared;
    };
    // Small documents around each piece, so that thousands of slips take seconds: the file with one entry for each
    // list.
    json small = whole;
    for (auto& [key, part] : small.items()) {
      if (part.is_array() && part.size() > 1) part = json::array({part.front()});
    }
    compare(small);
    const json flat = small.flatten();
    if (flat.size() > 300) continue;
    ++files_of_schema[schema];
    size_t taken = 0;
    const size_t stride = 1 + flat.size() / 5;
    for (const auto& [pointer, leaf] : flat.items()) {
      if (taken++ % stride != 0) continue;
      for (json::json_pointer at(pointer); !at.empty(); at.pop_back()) {
        for (const json& slip : Slips(small.at(at))) {
          json changed = small;
          changed[at] = slip;
          compare(changed);
        }
      }
    }
  }
  EXPECT_GT(files_of_schema.size(), 8u);
  EXPECT_GT(valid, 20u);
  EXPECT_GT(compared, 1000u);
}

}  // namespace
}  // namespace yardmaster::rules
