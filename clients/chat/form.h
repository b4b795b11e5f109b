// Forms and queries: "a=1&b=two+words".
#ifndef YARDMASTER_CLIENTS_CHAT_FORM_H_
#define YARDMASTER_CLIENTS_CHAT_FORM_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::chat {

inline constexpr size_t kMaxFormFields = 100;

class Form {
 public:
  // nullopt for more fields than kMaxFormFields, a name that comes twice, a broken escape, or what is not UTF-8.
  static std::optional<Form> Parse(std::string_view text);

  bool Has(std::string_view name) const { return fields_.find(name) != fields_.end(); }
  // Empty if there is none of that name.
  std::string_view Get(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> fields_;
};

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_FORM_H_
