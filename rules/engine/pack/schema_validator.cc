#include "rules/engine/pack/schema_validator.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/algorithm/container.h"
#include "rules/engine/pack/schema_explainer.h"
#include "rules/engine/pack/schema_node.h"
#include "rules/engine/pack/schema_texts.h"
#include "services/core/readable.h"

namespace yardmaster::rules {

// A schema as the walk over it takes it.
struct SchemaValidator::ParsedSchema {
  explicit ParsedSchema(std::string_view source) : text(nlohmann::json::parse(source)), nodes(text) {}

  const nlohmann::json text;
  const SchemaNodes nodes;
};

const SchemaValidator& SchemaValidator::Get() {
  static const SchemaValidator* const kValidator = new SchemaValidator();
  return *kValidator;
}

bool SchemaValidator::Validate(std::string_view schema, const JsonDocument& document, Problems& problems) const {
  const size_t before = problems.size();
  const std::shared_ptr<const ParsedSchema> parsed = parsed_.Get(std::string(schema), [&] {
    const std::vector<SchemaText> texts = SchemaTexts();
    const auto it = absl::c_find_if(texts, [&](const SchemaText& text) { return text.name == schema; });
    return it == texts.end() ? nullptr : std::make_shared<const ParsedSchema>(it->text);
  });
  if (parsed == nullptr) {
    problems.push_back(document.ProblemAt("", "no schema named " + Quoted(schema)));
  } else {
    ExplainMismatch(parsed->nodes.root(), document, kMaxProblemsPerFile, problems);
  }
  return problems.size() == before;
}

void SchemaValidator::Forget() const { parsed_.Forget(); }

}  // namespace yardmaster::rules
