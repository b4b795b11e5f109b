// Tells where a document differs from its JSON Schema. Schema libraries don't name what was expected, and their
// messages grow with the document; so this validator is our own.
#ifndef YARDMASTER_RULES_ENGINE_PACK_SCHEMA_EXPLAINER_H_
#define YARDMASTER_RULES_ENGINE_PACK_SCHEMA_EXPLAINER_H_

#include <cstddef>

#include "rules/engine/pack/schema_node.h"
#include "services/core/json_document.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// Adds a problem for every difference, `max_problems` at most: unknown keys with the nearest known one, missing keys,
// wrong types, values that are not among the allowed ones, sizes. Knows the keywords that rules/schema/ uses (a test
// holds the schemas to that): type, enum, properties, additionalProperties, required, dependencies, items, minItems,
// maxItems, minLength, maxLength, minProperties, minimum, maximum, exclusiveMinimum, pattern, $ref, and oneOf, anyOf
// and not over "required".
void ExplainMismatch(const SchemaNode& schema, const JsonDocument& document, size_t max_problems, Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PACK_SCHEMA_EXPLAINER_H_
