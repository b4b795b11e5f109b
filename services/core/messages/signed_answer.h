// What the daemon signs of an answer to a worker, and the worker checks.
#ifndef YARDMASTER_SERVICES_CORE_MESSAGES_SIGNED_ANSWER_H_
#define YARDMASTER_SERVICES_CORE_MESSAGES_SIGNED_ANSWER_H_

#include <string>
#include <string_view>

#include "yardmaster/v1/runner.pb.h"

namespace yardmaster {

// As WorkResponse.signature says. An answer to another worker, or to an earlier start of this one, has another text.
std::string SignedTextOf(std::string_view runner, std::string_view session, v1::WorkResponse answer);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_MESSAGES_SIGNED_ANSWER_H_
