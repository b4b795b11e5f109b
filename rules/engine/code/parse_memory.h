/* Memory of tree-sitter, counted. It has limits of time only, and some texts of 2 MiB take half a gigabyte before they
 * run into one: the core is compiled with these functions in place of its own, and parsing stops when the count says
 * so. Counted for each thread, since a parser lives on one. */
#ifndef YARDMASTER_RULES_ENGINE_CODE_PARSE_MEMORY_H_
#define YARDMASTER_RULES_ENGINE_CODE_PARSE_MEMORY_H_

#include <stddef.h> /* NOLINT(modernize-deprecated-headers): C reads this too */

#ifdef __cplusplus
extern "C" {
#endif

/* They end the program where there is no memory, as tree-sitter's own do. */
void* yard_parse_malloc(size_t size);
void* yard_parse_calloc(size_t count, size_t size);
void* yard_parse_realloc(void* memory, size_t size);
void yard_parse_free(void* memory);

/* Bytes that this thread has taken and not given back. Trees that another thread frees make it wrong by their size:
 * compare with what it was a moment ago. May wrap around. */
size_t yard_parse_bytes(void);

#ifdef __cplusplus
}
#endif

#endif /* YARDMASTER_RULES_ENGINE_CODE_PARSE_MEMORY_H_ */
