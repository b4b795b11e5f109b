// Languages that the engine reads, and which file is in which.
#ifndef YARDMASTER_RULES_ENGINE_CODE_LANGUAGE_H_
#define YARDMASTER_RULES_ENGINE_CODE_LANGUAGE_H_

#include <cstdint>
#include <optional>
#include <string_view>

struct TSLanguage;

namespace yardmaster::rules {

enum class Language : uint8_t { kText, kPython, kCpp, kCuda, kYaml, kJson, kMarkdown };
inline constexpr size_t kLanguageCount = 7;

// "text", "python", "cpp", "cuda", "yaml", "json", "markdown".
std::string_view LanguageName(Language language);
std::optional<Language> LanguageFromName(std::string_view name);

// By the extension; kText for everything that no grammar reads.
Language LanguageOfPath(std::string_view path);

// The grammar; nullptr for kText, and for kMarkdown, which is read line by line. A constant of the library.
const TSLanguage* GrammarOf(Language language);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_LANGUAGE_H_
