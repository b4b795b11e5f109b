// What is said of our own accord, in both languages.
#ifndef YARDMASTER_SERVICES_INTAKE_SWEEPS_SAID_TEXT_H_
#define YARDMASTER_SERVICES_INTAKE_SWEEPS_SAID_TEXT_H_

#include <string>
#include <string_view>

namespace yardmaster {

// Markdown, everything from outside defanged.
struct SaidText {
  std::string en;
  std::string zh;

  // "zh" is Chinese, anything else English.
  const std::string& In(std::string_view language) const { return language == "zh" ? zh : en; }
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SWEEPS_SAID_TEXT_H_
