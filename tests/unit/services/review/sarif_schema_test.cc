#include "tests/unit/services/review/sarif_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <string_view>

#define VALIJSON_USE_EXCEPTIONS 1
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace yardmaster::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

struct SarifSchema {
  SarifSchema() {
    std::ifstream in(YARD_SARIF_SCHEMA);
    const Json text = Json::parse(in);
    title = text.value("title", "");
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft4);
    parser.populateSchema(NlohmannJsonAdapter(text), schema);
  }
  std::string title;
  valijson::Schema schema;
};

const SarifSchema& Schema() {
  static const SarifSchema kSchema;
  return kSchema;
}

// What RFC 3986 allows in a URI reference, without its structure; valijson does not look at formats.
void CheckUris(const Json& json, const std::string& place, std::vector<std::string>& problems) {
  static const std::regex kReference("(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=\\[\\]-]|%[0-9A-Fa-f]{2})+");
  if (json.is_array()) {
    for (const Json& item : json) CheckUris(item, place + "/#", problems);
  }
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    std::string below = place;
    below.append("/").append(key);
    if ((key == "uri" || key == "$schema") && !std::regex_match(value.get<std::string>(), kReference))
      problems.push_back(below + ": no URI reference: " + value.get<std::string>());
    CheckUris(value, below, problems);
  }
}

}  // namespace

std::vector<std::string> SarifProblems(const Json& log) {
  std::vector<std::string> problems;
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (!validator.validate(Schema().schema, NlohmannJsonAdapter(log), &results)) {
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
      std::string place;
      for (const std::string& step : error.context) place += step;
      problems.push_back(place + ": " + error.description);
    }
    if (problems.empty()) problems.emplace_back("not valid");
  }
  CheckUris(log, "", problems);
  return problems;
}

namespace {

Json Smallest() {
  return Json::parse(R"({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": []}]})");
}

TEST(SarifSchema, IsTheOneOfTwoPointOne) { EXPECT_THAT(Schema().title, ::testing::HasSubstr("2.1.0")); }

TEST(SarifSchema, AcceptsTheSmallestLog) { EXPECT_THAT(SarifProblems(Smallest()), IsEmpty()); }

TEST(SarifSchema, RefusesWhatIsWrong) {
  const auto with = [](const char* pointer, const Json& value) {
    Json log = Smallest();
    log[Json::json_pointer(pointer)] = value;
    return SarifProblems(log);
  };
  EXPECT_THAT(with("/version", "2.0.0"), Not(IsEmpty()));
  EXPECT_THAT(with("/more", 1), Not(IsEmpty()));
  EXPECT_THAT(with("/runs/0/columnKind", "bytes"), Not(IsEmpty()));
  EXPECT_THAT(with("/runs/0/results/0", Json{{"ruleId", "A"}}), Not(IsEmpty())) << "a result has a message";
  const Json result = {{"message", {{"text", "a"}}}};
  EXPECT_THAT(with("/runs/0/results/0", result), IsEmpty());
  const auto changed = [&](const char* pointer, const Json& value) {
    Json other = result;
    other[Json::json_pointer(pointer)] = value;
    return with("/runs/0/results/0", other);
  };
  EXPECT_THAT(changed("/level", "fatal"), Not(IsEmpty()));
  EXPECT_THAT(changed("/baselineState", "fixed"), Not(IsEmpty()));
  EXPECT_THAT(changed("/ruleIndex", -2), Not(IsEmpty()));
  EXPECT_THAT(changed("/fixes", Json::parse(R"([{"description": {"text": "no change"}}])")), Not(IsEmpty()));
  EXPECT_THAT(changed("/locations", Json::parse(R"([{"physicalLocation": {"artifactLocation": {"uri": "a"},
                                                "region": {"startLine": 0}}}])")),
              Not(IsEmpty()));
  EXPECT_THAT(changed("/locations", Json::parse(R"([{"physicalLocation": {"artifactLocation": {"uri": "a b"}}}])")),
              Not(IsEmpty()));
}

}  // namespace
}  // namespace yardmaster::testing
