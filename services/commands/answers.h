// The texts of the one comment that every command gets. Their wording is data (commands.json of the packs, "answers");
// here they are filled, and text of people is made harmless before it is repeated.
//
// The texts come without the marker of the contract: the effects layer puts it behind every comment that it writes.
#ifndef YARDMASTER_SERVICES_COMMANDS_ANSWERS_H_
#define YARDMASTER_SERVICES_COMMANDS_ANSWERS_H_

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/commands/command_table.h"
#include "services/commands/permission.h"

namespace yardmaster::commands {

// Longer answers are cut at the end of a line; forges take 65,536 characters.
inline constexpr size_t kMaxAnswerBytes = 48 * 1024;

// What is answered.
struct AnsweredCommand {
  std::string_view person;   // login, as the forge gives it
  std::string_view written;  // the command as it was written: any bytes
  // Answer in Chinese: the command's text is (IsChinese in defang.h).
  bool chinese = false;
  const rules::CommandModel* command = nullptr;  // nullptr: none of the table
};

class Answers {
 public:
  explicit Answers(std::shared_ptr<const rules::CommandTable> table);

  std::string Working(const AnsweredCommand& asked) const;
  // `outcome` and `reason` are Markdown of our own: echoes in them are made with defang.h.
  std::string Done(const AnsweredCommand& asked, std::string_view outcome) const;
  std::string Failed(const AnsweredCommand& asked, std::string_view reason) const;
  // Why not, and who may. `decision` is not an allowing one.
  std::string Refused(const AnsweredCommand& asked, const PermissionDecision& decision) const;
  // Something is wrong behind the command; the sentences may quote what was written.
  std::string UsageError(const AnsweredCommand& asked, const std::vector<rules::LocalText>& sentences) const;
  // Something is missing or unclear: asks back.
  std::string Ask(const AnsweredCommand& asked, const std::vector<rules::LocalText>& sentences) const;
  // It rewrites something, and waits for the person's yes. `outcome`: what it would do, as of Done.
  std::string Confirm(const AnsweredCommand& asked, std::string_view outcome) const;
  // Said where nobody proves who said it: waits for `/yes CODE` of the person in a comment on `subject`.
  std::string ConfirmOnForge(const AnsweredCommand& asked, std::string_view outcome, std::string_view code,
                             std::string_view subject) const;
  // No command of the table; `suggestion` is a form of it, or empty.
  std::string Unknown(const AnsweredCommand& asked, std::string_view suggestion) const;
  // A command that does not work here, by its state: not yet, or not offered. Its reason is the table's.
  std::string Unavailable(const AnsweredCommand& asked) const;
  // Labels that the pack does not let people set: a reason for Failed, or a line of an outcome.
  std::string RefusedLabels(const std::vector<std::string>& labels, bool chinese) const;

  // "people who may triage or write here, members of the team core".
  std::string WhoText(const std::vector<rules::CommandRight>& who, bool chinese) const;

 private:
  using Places = std::initializer_list<std::pair<std::string_view, std::string>>;
  // The text of that id with its places filled; what is filled in is never looked at for places.
  std::string Fill(std::string_view id, bool chinese, Places places) const;
  std::string About(std::string_view id, const AnsweredCommand& asked, Places places) const;
  std::string Sentences(std::string_view id, const AnsweredCommand& asked,
                        const std::vector<rules::LocalText>& sentences) const;
  std::string SourceText(SettingSource source, bool chinese) const;

  std::shared_ptr<const rules::CommandTable> table_;
};

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_ANSWERS_H_
