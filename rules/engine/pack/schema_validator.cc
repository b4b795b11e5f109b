#include "rules/engine/pack/schema_validator.h"

#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

// Heavy: nothing else includes valijson. Its exceptions speak of broken schemas only and end in this file.
#define VALIJSON_USE_EXCEPTIONS 1
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "rules/engine/pack/schema_explainer.h"
#include "rules/engine/pack/schema_texts.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

// The schema without "pattern": valijson matches by std::regex, which recurses once for every byte of a text and
// overflows the stack on long ones. Patterns are matched by RE2 instead, see schema_explainer.cc.
json WithoutPatterns(const json& schema, bool in_properties) {
  if (schema.is_array()) {
    json out = json::array();
    for (const json& item : schema) out.push_back(WithoutPatterns(item, false));
    return out;
  }
  if (!schema.is_object()) return schema;
  json out = json::object();
  for (const auto& [key, value] : schema.items()) {
    // Below "properties" and "definitions" keys are names, not keywords.
    if (!in_properties && key == "pattern") continue;
    out[key] = WithoutPatterns(value, !in_properties && (key == "properties" || key == "definitions"));
  }
  return out;
}

// A schema as the walk over it takes it.
struct ParsedSchema {
  explicit ParsedSchema(std::string_view source) : text(json::parse(source)), nodes(text) {}

  const json text;
  const SchemaNodes nodes;
};

// Compiled when first asked for: a short-lived program validates by one or two of them.
class CompiledSchema {
 public:
  explicit CompiledSchema(std::string_view source) : source_(source) {}

  std::shared_ptr<const ParsedSchema> parsed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Parsed();
  }
  std::shared_ptr<const valijson::Schema> schema() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (schema_ == nullptr) {
      const json judged = WithoutPatterns(Parsed()->text, false);
      auto schema = std::make_shared<valijson::Schema>();
      valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
      parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(judged), *schema);
      schema_ = std::move(schema);
    }
    return schema_;
  }
  void Forget() {
    const std::lock_guard<std::mutex> lock(mutex_);
    schema_.reset();
    parsed_.reset();
  }

 private:
  // With mutex_ held.
  const std::shared_ptr<const ParsedSchema>& Parsed() {
    if (parsed_ == nullptr) parsed_ = std::make_shared<const ParsedSchema>(source_);
    return parsed_;
  }

  const std::string_view source_;
  std::mutex mutex_;
  // Guarded by mutex_; null: not made. Whoever uses them holds them.
  std::shared_ptr<const ParsedSchema> parsed_;
  std::shared_ptr<const valijson::Schema> schema_;
};

}  // namespace

struct SchemaValidator::Impl {
  std::map<std::string, std::unique_ptr<CompiledSchema>, std::less<>> schemas;

  // Null after saying so.
  CompiledSchema* Find(std::string_view name, const JsonDocument& document, Problems& problems) const {
    const auto it = schemas.find(name);
    if (it != schemas.end()) return it->second.get();
    problems.push_back(document.ProblemAt("", "no schema named " + Quoted(name)));
    return nullptr;
  }
};

SchemaValidator::SchemaValidator() {
  auto impl = std::make_unique<Impl>();
  for (const auto& [name, text] : SchemaTexts()) {
    impl->schemas[std::string(name)] = std::make_unique<CompiledSchema>(text);
  }
  impl_ = std::move(impl);
}

SchemaValidator::~SchemaValidator() = default;

const SchemaValidator& SchemaValidator::Get() {
  static const SchemaValidator* const kValidator = new SchemaValidator();
  return *kValidator;
}

bool SchemaValidator::Validate(std::string_view schema, const JsonDocument& document, Problems& problems) const {
  CompiledSchema* const compiled = impl_->Find(schema, document, problems);
  if (compiled == nullptr) return false;
  const size_t before = problems.size();

  // valijson judges. Without a place for its messages it stops at the first difference, in little memory whatever the
  // document.
  bool valid = false;
  try {
    valijson::Validator validator;
    const valijson::adapters::NlohmannJsonAdapter target(document.value());
    valid = validator.validate(*compiled->schema(), target, static_cast<valijson::ValidationResults*>(nullptr));
  } catch (const std::exception& error) {
    problems.push_back(document.ProblemAt("", "can't be validated: " + Readable(error.what(), 200)));
    return false;
  }

  // The words, and the patterns.
  ExplainMismatch(compiled->parsed()->nodes.root(), document, kMaxProblemsPerFile, problems);
  if (!valid && problems.size() == before) {
    problems.push_back(document.ProblemAt("", "does not match rules/schema/" + std::string(schema) + ".schema.json"));
  }
  return problems.size() == before;
}

void SchemaValidator::Forget() const {
  for (const auto& [name, compiled] : impl_->schemas) compiled->Forget();
}

bool SchemaValidator::ValidateQuickly(std::string_view schema, const JsonDocument& document, Problems& problems) const {
  CompiledSchema* const compiled = impl_->Find(schema, document, problems);
  if (compiled == nullptr) return false;
  const size_t before = problems.size();
  ExplainMismatch(compiled->parsed()->nodes.root(), document, kMaxProblemsPerFile, problems);
  return problems.size() == before;
}

}  // namespace yardmaster::rules
