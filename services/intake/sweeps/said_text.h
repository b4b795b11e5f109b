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

  void Append(std::string_view more_en, std::string_view more_zh) {
    en += more_en;
    zh += more_zh;
  }
  // What is the same in both.
  void Append(std::string_view more) { Append(more, more); }
  // "zh" is Chinese, anything else English.
  const std::string& In(std::string_view language) const { return language == "zh" ? zh : en; }
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SWEEPS_SAID_TEXT_H_
