// Credentials that are known by their look alone: keys and tokens of services, passwords in addresses, private keys.
#ifndef YARDMASTER_SERVICES_CORE_CREDENTIALS_H_
#define YARDMASTER_SERVICES_CORE_CREDENTIALS_H_

#include <string>
#include <string_view>

namespace yardmaster {

// Stands for what was taken out.
inline constexpr std::string_view kRedacted = "[redacted]";

// The text with each of them replaced by kRedacted. For what is shown to people: code and tools may say what nobody
// is to read again.
std::string WithoutCredentials(std::string text);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CREDENTIALS_H_
