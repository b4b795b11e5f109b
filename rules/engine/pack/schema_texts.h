// The texts of rules/schema/*.schema.json, put into the library when it is built.
#ifndef YARDMASTER_RULES_ENGINE_PACK_SCHEMA_TEXTS_H_
#define YARDMASTER_RULES_ENGINE_PACK_SCHEMA_TEXTS_H_

#include <string_view>
#include <vector>

namespace yardmaster::rules {

struct SchemaText {
  std::string_view name;  // "rubric" for rubric.schema.json
  std::string_view text;
};

std::vector<SchemaText> SchemaTexts();

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PACK_SCHEMA_TEXTS_H_
