// Validates the files of packs against the JSON Schemas in rules/schema/.
#ifndef YARDMASTER_RULES_ENGINE_PACK_SCHEMA_VALIDATOR_H_
#define YARDMASTER_RULES_ENGINE_PACK_SCHEMA_VALIDATOR_H_

#include <cstddef>
#include <memory>
#include <string_view>

#include "services/core/json_document.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// More problems than this are not listed for one file.
inline constexpr size_t kMaxProblemsPerFile = 100;

// All schemas. Safe to use from many threads at once.
class SchemaValidator {
 public:
  SchemaValidator();
  ~SchemaValidator();
  SchemaValidator(const SchemaValidator&) = delete;
  SchemaValidator& operator=(const SchemaValidator&) = delete;

  // The one validator of the process: the schemas are constants, and compiling them takes longer than using them.
  static const SchemaValidator& Get();

  // True if the document is valid under the schema of that name ("pack", "rubric", …). Else adds a problem for each
  // difference.
  bool Validate(std::string_view schema, const JsonDocument& document, Problems& problems) const;

  // The same judgement by the walk alone that finds the words for differences: valijson, which Validate asks too, takes
  // as long again, and longer to read the schema. For a program that lives as long as one review, with packs that
  // `yard rules validate` or a daemon has seen. Tests hold both to the same judgement.
  bool ValidateQuickly(std::string_view schema, const JsonDocument& document, Problems& problems) const;

  // Gives back what was made of the schemas, which is many times their size; it is made again when it is needed. For
  // programs that go on for long after they have read their packs.
  void Forget() const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PACK_SCHEMA_VALIDATOR_H_
