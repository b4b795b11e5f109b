#include "rules/engine/code/language.h"

#include <array>
#include <utility>

extern "C" {
const TSLanguage* tree_sitter_python(void);
const TSLanguage* tree_sitter_cpp(void);
const TSLanguage* tree_sitter_cuda(void);
const TSLanguage* tree_sitter_yaml(void);
const TSLanguage* tree_sitter_json(void);
}

namespace yardmaster::rules {
namespace {

constexpr std::array<std::string_view, kLanguageCount> kNames = {"text", "python", "cpp",     "cuda",
                                                                 "yaml", "json",   "markdown"};

constexpr std::pair<std::string_view, Language> kExtensions[] = {
    {"py", Language::kPython},
    {"pyi", Language::kPython},
    {"cc", Language::kCpp},
    {"cpp", Language::kCpp},
    {"cxx", Language::kCpp},
    {"h", Language::kCpp},
    {"hpp", Language::kCpp},
    {"hh", Language::kCpp},
    {"c", Language::kCpp},
    {"inl", Language::kCpp},
    {"cu", Language::kCuda},
    {"cuh", Language::kCuda},
    {"yaml", Language::kYaml},
    {"yml", Language::kYaml},
    {"json", Language::kJson},
    {"md", Language::kMarkdown},
    {"markdown", Language::kMarkdown},
};

}  // namespace

std::string_view LanguageName(Language language) { return kNames[static_cast<size_t>(language)]; }

std::optional<Language> LanguageFromName(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Language>(i);
  }
  return std::nullopt;
}

Language LanguageOfPath(std::string_view path) {
  const size_t dot = path.rfind('.');
  const size_t slash = path.rfind('/');
  if (dot == std::string_view::npos || (slash != std::string_view::npos && dot < slash)) return Language::kText;
  const std::string_view extension = path.substr(dot + 1);
  for (const auto& [known, language] : kExtensions) {
    if (known == extension) return language;
  }
  return Language::kText;
}

const TSLanguage* GrammarOf(Language language) {
  switch (language) {
    case Language::kText:
    case Language::kMarkdown:
      return nullptr;
    case Language::kPython:
      return tree_sitter_python();
    case Language::kCpp:
      return tree_sitter_cpp();
    case Language::kCuda:
      return tree_sitter_cuda();
    case Language::kYaml:
      return tree_sitter_yaml();
    case Language::kJson:
      return tree_sitter_json();
  }
  return nullptr;
}

}  // namespace yardmaster::rules
