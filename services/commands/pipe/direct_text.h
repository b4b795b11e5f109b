// What is said to the bot directly, as in chat, in the form of a comment: sentences get the mention that they don't
// need there, and the words that name the thread are taken out where a command does not want them. Pure.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_DIRECT_TEXT_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_DIRECT_TEXT_H_

#include <string>
#include <string_view>

#include "yardmaster/v1/types.pb.h"

namespace yardmaster::commands {

// Who is mentioned where the account is not known.
inline constexpr std::string_view kDirectLogin = "yardmaster";

// "why #12" → "@bot why #12"; lines with a slash stay. "/yard" in front is cut: some platforms have one command for
// all; it stays before what is said about a channel ("/yard subscribe gate").
std::string DirectText(std::string_view text, std::string_view login);

// Without the words that name the subject: "#12", "owner/name#12", its address, and a number that stands alone.
std::string WithoutSubject(std::string_view text, const v1::Subject& subject);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_DIRECT_TEXT_H_
