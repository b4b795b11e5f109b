// Whether what is asked in chat may be looked at for who asks, and told where the answer goes. Asked before anything of
// the subject is read: what a person may not see is not told apart from what there is not.
#ifndef YARDMASTER_SERVICES_INTAKE_PIPELINE_CHAT_LOOK_H_
#define YARDMASTER_SERVICES_INTAKE_PIPELINE_CHAT_LOOK_H_

#include <string_view>

#include "services/intake/outcome.h"
#include "services/intake/plans/subject_run.h"
#include "yardmaster/v1/chat.pb.h"

namespace yardmaster {

// The answer of ours in both languages.
struct ChatSaying {
  std::string_view en;
  std::string_view zh;
};

// kDone: `bar` is null, or says why nothing is told. After SubjectRun::Open.
Outcome FindChatLookBar(SubjectRun& run, const v1::ChatOrigin& chat, const ChatSaying*& bar);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PIPELINE_CHAT_LOOK_H_
