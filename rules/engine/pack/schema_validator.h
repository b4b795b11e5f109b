// Validates the files of packs against the JSON Schemas in rules/schema/.
#ifndef YARDMASTER_RULES_ENGINE_PACK_SCHEMA_VALIDATOR_H_
#define YARDMASTER_RULES_ENGINE_PACK_SCHEMA_VALIDATOR_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "services/core/json_document.h"
#include "services/core/memo.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// More problems than this are not listed for one file.
inline constexpr size_t kMaxProblemsPerFile = 100;

// All schemas; each is parsed when it is first used. Safe to use from many threads at once.
class SchemaValidator {
 public:
  // The one validator of the process: the schemas are constants.
  static const SchemaValidator& Get();

  // True if the document is valid under the schema of that name ("pack", "rubric", …). Else adds a problem for each
  // difference. A test holds the judgement to that of a library.
  bool Validate(std::string_view schema, const JsonDocument& document, Problems& problems) const;

  // Frees the parsed schemas, which are many times the size of their texts; they are parsed again when they are needed.
  // For programs that go on for long after they have read their packs.
  void Forget() const;

 private:
  struct ParsedSchema;

  SchemaValidator() = default;

  mutable Memo<std::string, ParsedSchema> parsed_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PACK_SCHEMA_VALIDATOR_H_
