#include "services/commands/command_text.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/engine/commands/pull_reference.h"
#include "services/core/characters.h"

namespace yardmaster::commands {
namespace {

using rules::CommandForm;
using rules::CommandModel;
using rules::CommandParameter;
using rules::CommandParameterType;
using rules::Slots;
using rules::SlotValue;

// Positional parameters behind which nothing else may stand.
bool StandsLast(const CommandParameter& parameter) {
  return parameter.positional &&
         (parameter.type == CommandParameterType::kText || parameter.type == CommandParameterType::kLabels ||
          parameter.type == CommandParameterType::kWords);
}

std::string InQuotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + '"';
}

class Writer {
 public:
  Writer(const CommandModel& command, const Slots& slots, std::string_view host)
      : command_(command), slots_(slots), host_(host) {}

  std::string Run() {
    const CommandForm* form = ChooseForm();
    if (form == nullptr) return {};
    text_ = form->text;
    for (const auto& [slot, value] : form->sets) done_.insert(slot);
    for (const CommandParameter& parameter : command_.parameters) {
      if (parameter.positional && !StandsLast(parameter)) Value(parameter);
    }
    for (const CommandParameter& parameter : command_.parameters) {
      if (parameter.type == CommandParameterType::kFlag) {
        Flag(parameter);
      } else if (!parameter.positional) {
        Value(parameter);
      }
    }
    for (const CommandParameter& parameter : command_.parameters) {
      if (StandsLast(parameter)) Value(parameter);
    }
    for (const auto& [slot, value] : slots_) {
      if (done_.find(slot) == done_.end()) return {};
    }
    return impossible_ ? std::string() : text_;
  }

 private:
  const CommandForm* ChooseForm() const {
    for (const CommandForm& form : command_.forms) {
      if (form.pattern) continue;
      if (!form.needs.empty()) {
        const CommandParameter* needed = command_.Parameter(form.needs);
        if (needed == nullptr || slots_.find(needed->slot) == slots_.end()) continue;
      }
      const bool fits = absl::c_all_of(form.sets, [&](const auto& entry) {
        const auto it = slots_.find(entry.first);
        return it != slots_.end() && it->second == entry.second;
      });
      if (fits) return &form;
    }
    return nullptr;
  }

  const SlotValue* Slot(std::string_view slot) const {
    const auto it = slots_.find(slot);
    return it == slots_.end() || done_.find(it->first) != done_.end() ? nullptr : &it->second;
  }

  void Flag(const CommandParameter& parameter) {
    const auto has = [&](bool turned) {
      return absl::c_all_of(parameter.sets, [&](const auto& entry) {
        const SlotValue* value = Slot(entry.first);
        if (value == nullptr) return false;
        if (!turned) return *value == entry.second;
        const bool* yes = std::get_if<bool>(&entry.second);
        return yes != nullptr && *value == SlotValue(!*yes);
      });
    };
    const bool plain = has(false);
    if (!plain && (!has(true) || OtherFlagSays(parameter))) return;
    text_ += plain ? " --" : " --no-";
    text_ += parameter.name;
    for (const auto& [slot, value] : parameter.sets) done_.insert(slot);
  }

  // "--no-rebase" is a flag of its own where the table has one.
  bool OtherFlagSays(const CommandParameter& negated) const {
    return absl::c_any_of(command_.parameters, [&](const CommandParameter& other) {
      return &other != &negated && other.type == CommandParameterType::kFlag &&
             absl::c_all_of(other.sets, [&](const auto& entry) {
               const SlotValue* value = Slot(entry.first);
               return value != nullptr && *value == entry.second;
             });
    });
  }

  void Value(const CommandParameter& parameter) {
    const SlotValue* value = Slot(parameter.slot);
    if (value == nullptr) return;
    const std::string written = Written(parameter, *value);
    if (written.empty()) {
      impossible_ = true;
      return;
    }
    done_.insert(parameter.slot);
    if (!parameter.positional || !IsFree(parameter, written)) {
      if (!parameter.named) impossible_ = true;
      text_ += " --" + parameter.name;
    }
    text_ += ' ';
    text_ += written;
  }

  // Whether the value may stand without a name: no parameter before it that is not given would take it.
  bool IsFree(const CommandParameter& parameter, std::string_view written) const {
    for (const CommandParameter& other : command_.parameters) {
      if (&other == &parameter) return true;
      if (!other.positional || slots_.find(other.slot) != slots_.end()) continue;
      if (!IsReference(other) || IsReference(parameter)) return false;
      const std::string_view inside =
          written.front() == '"' && written.size() > 1 ? written.substr(1, written.size() - 2) : written;
      const size_t name = inside.size() > other.name.size() ? other.name.size() : 0;
      if (rules::ParsePullReference(inside) || rules::ParsePullReference(inside.substr(name))) return false;
    }
    return true;
  }

  std::string Written(const CommandParameter& parameter, const SlotValue& value) {
    if (IsReference(parameter)) {
      const int64_t* number = std::get_if<int64_t>(&value);
      return number == nullptr ? std::string() : Reference(parameter, *number);
    }
    if (const int64_t* number = std::get_if<int64_t>(&value); number != nullptr) return std::to_string(*number);
    if (const std::string* text = std::get_if<std::string>(&value); text != nullptr) {
      if (text->empty()) return {};
      return parameter.type == CommandParameterType::kText ? InQuotes(*text) : Word(*text);
    }
    std::string out;
    if (const auto* list = std::get_if<std::vector<std::string>>(&value); list != nullptr) {
      for (const std::string& item : *list) {
        if (item.empty()) return {};
        if (!out.empty()) out += ", ";
        out += Word(item);
      }
    }
    return out;
  }

  std::string Reference(const CommandParameter& parameter, int64_t number) {
    std::string digits = std::to_string(number);
    const SlotValue* slot = Slot("repo");
    const std::string* repo = slot == nullptr ? nullptr : std::get_if<std::string>(slot);
    if (repo == nullptr) return digits;
    done_.insert("repo");
    if (host_.empty()) return *repo + "#" + digits;
    const bool issue = parameter.type == CommandParameterType::kIssue;
    return "https://" + std::string(host_) + "/" + *repo + (issue ? "/issues/" : "/pull/") + digits;
  }

  // In quotes unless it is made of letters, digits and what names have between them.
  std::string Word(std::string_view text) const {
    const auto is_edge = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    const bool simple = is_edge(text.front()) && is_edge(text.back()) && absl::c_all_of(text, [&](char c) {
                          return is_edge(c) || c == '-' || c == '.' || c == '/' || c == '+';
                        });
    const bool is_name = simple && command_.Parameter(Lower(text)) != nullptr;
    return simple && !is_name && !rules::IsMarkedReference(text) ? std::string(text) : InQuotes(text);
  }

  const CommandModel& command_;
  const Slots& slots_;
  std::string_view host_;
  std::string text_;
  std::set<std::string, std::less<>> done_;
  bool impossible_ = false;
};

}  // namespace

std::string CommandText(const CommandModel& command, const Slots& slots, std::string_view host) {
  return Writer(command, slots, host).Run();
}

}  // namespace yardmaster::commands
