// What the bot says, in both of its languages.
#ifndef YARDMASTER_SERVICES_CORE_SAID_TEXT_H_
#define YARDMASTER_SERVICES_CORE_SAID_TEXT_H_

#include <string>
#include <string_view>

namespace yardmaster {

// In Markdown where it is written as a comment or a message: then everything from outside is defanged.
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

#endif  // YARDMASTER_SERVICES_CORE_SAID_TEXT_H_
