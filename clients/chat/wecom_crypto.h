// WeCom's envelope: a signature over sorted parts, and AES with a length and a receiver inside.
#ifndef YARDMASTER_CLIENTS_CHAT_WECOM_CRYPTO_H_
#define YARDMASTER_CLIENTS_CHAT_WECOM_CRYPTO_H_

#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::chat {

// SHA-1 over the four parts, sorted by their bytes and joined.
std::string WecomSignature(std::string_view token, std::string_view timestamp, std::string_view nonce,
                           std::string_view encrypted);

// The message inside; nullopt if it is not for `receiver`, or was not encrypted with this key.
std::optional<std::string> OpenWecom(std::string_view encoding_aes_key, std::string_view encrypted,
                                     std::string_view receiver);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_WECOM_CRYPTO_H_
