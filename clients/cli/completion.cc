#include "clients/cli/completion.h"

#include <string_view>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace yardmaster::cli {
namespace {

using command_line::Command;
using command_line::Option;

// One verb: the words on the way to it, and what may follow.
struct Node {
  std::string path;  // "triage eval"; empty for the program itself
  const Command* command;
  std::vector<Option> options;
};

bool IsArgument(const Option& option) { return !option.name.starts_with('-'); }

// The first line of a summary, without what would need quoting in any shell.
std::string Plain(const std::string& text) {
  std::string out = text.substr(0, text.find('\n'));
  std::erase_if(out, [](char c) { return std::string_view("'\"\\`$:[]").find(c) != std::string_view::npos; });
  return out;
}

// "-h,--help": the long name first.
std::vector<std::string> Names(const Option& option) {
  std::vector<std::string> names = absl::StrSplit(option.name, ',');
  absl::c_stable_partition(names, [](const std::string& name) { return name.starts_with("--"); });
  return names;
}

void Walk(const Command& command, const std::string& path, std::vector<Node>& nodes) {
  Node& node = nodes.emplace_back(Node{path, &command, {}});
  absl::c_remove_copy_if(command.options(), std::back_inserter(node.options), IsArgument);
  for (const auto& verb : command.verbs()) {
    Walk(*verb, absl::StrCat(path, path.empty() ? "" : " ", verb->name()), nodes);
  }
}

// All nodes; each verb also has the options of the program, which may stand behind it.
std::vector<Node> Nodes(const Command& program) {
  std::vector<Node> nodes;
  Walk(program, "", nodes);
  const std::vector<Option> shared = nodes.front().options;
  for (size_t i = 1; i < nodes.size(); ++i) {
    std::vector<Option>& options = nodes[i].options;
    for (const Option& option : shared) {
      // The version is the program's alone.
      const bool has = absl::c_any_of(options, [&](const Option& own) { return own.name == option.name; });
      if (!has && option.name != "--version") options.push_back(option);
    }
  }
  return nodes;
}

bool TakesValue(const Option& option) {
  return !std::holds_alternative<bool*>(option.target) &&
         !std::holds_alternative<command_line::PrintHelp>(option.target) &&
         !std::holds_alternative<command_line::PrintVersion>(option.target);
}

// What may follow an option, or stand where a verb wants an argument: a word that both scripts know.
std::string Kind(const Option& option) {
  if (!TakesValue(option)) return "";
  if (!option.choices.empty()) return "list:" + absl::StrJoin(option.choices, " ");
  const std::string value = option.value_name.value_or("");
  if (value.find("DIR") != std::string::npos) return "folder";
  if (value.find("FILE") != std::string::npos) return "file";
  return IsArgument(option) && option.name.find("FILE") != std::string::npos ? "file" : "any";
}

// The kind of a verb's first argument.
std::string ArgumentKind(const Node& node) {
  const auto argument = absl::c_find_if(node.command->options(), IsArgument);
  return argument == node.command->options().end() ? "" : Kind(*argument);
}

// Options with a value, all verbs together: "--packs|--server".
std::string NamesWithValue(const std::vector<Node>& nodes) {
  std::vector<std::string> names;
  for (const Node& node : nodes) {
    for (const Option& option : node.options) {
      if (TakesValue(option) && !absl::c_linear_search(names, option.name)) names.push_back(option.name);
    }
  }
  return absl::StrJoin(names, "|");
}

// case "$verb $option" in … that sets `kind` for an option that wants a value.
std::string ValueTable(const std::vector<Node>& nodes) {
  std::string out;
  for (const Node& node : nodes) {
    for (const Option& option : node.options) {
      if (!TakesValue(option)) continue;
      absl::StrAppend(&out, "    \"", node.path, " ", option.name, "\") kind='", Kind(option), "' ;;\n");
    }
  }
  return out;
}

// "'--all:All packs'" for each name.
std::string Described(const std::vector<std::string>& names, const std::string& summary) {
  return absl::StrJoin(names, " ", [&](std::string* out, const std::string& name) {
    absl::StrAppend(out, "'", name, ":", Plain(summary), "'");
  });
}

// Finds the verb that the words so far lead to: sets `verb`. The same lines serve both shells; `words` is an array,
// `last` the index of its last complete word, `first` of the word behind the program's name.
constexpr char kFindVerb[] = R"(  local verb='' word='' skip=0 i
  for ((i = first; i <= last; i++)); do
    word="${words[i]}"
    if ((skip)); then skip=0; continue; fi
    case "$word" in
      @OPTIONS@) skip=1 ;;
      -*) ;;
      *)
        case "$verb $word" in
@PATHS@        esac ;;
    esac
  done
)";

constexpr char kBash[] = R"(# bash completion for yard. Use it now:    source <(yard completion bash)
# Or for every new shell:                 yard completion bash > ~/.local/share/bash-completion/completions/yard
_yard() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" kind='' verbs='' options='' argument=''
  local first=1 last=$((COMP_CWORD - 1))
  local words=("${COMP_WORDS[@]}")
@FIND_VERB@  COMPREPLY=()
  case "$verb $previous" in
@VALUES@  esac
  case "$verb" in
@VERBS@  esac
  if [[ -z $kind && $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
    return
  fi
  if [[ -z $kind && -n $verbs ]]; then
    COMPREPLY=($(compgen -W "$verbs" -- "$current"))
    return
  fi
  case "${kind:-$argument}" in
    file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    list:*) kind="${kind:-$argument}"; COMPREPLY=($(compgen -W "${kind#list:}" -- "$current")) ;;
  esac
}
complete -F _yard yard
)";

constexpr char kZsh[] = R"(#compdef yard
# zsh completion for yard. Save it as _yard in a folder of $fpath, or use it now: source <(yard completion zsh)
_yard() {
  local current="${words[CURRENT]}" previous="${words[CURRENT-1]}" kind='' argument=''
  local -a verbs options
  local first=2 last=$((CURRENT - 1))
@FIND_VERB@  case "$verb $previous" in
@VALUES@  esac
  case "$verb" in
@VERBS@  esac
  if [[ -z $kind && $current == -* ]]; then
    _describe option options
    return
  fi
  if [[ -z $kind && ${#verbs} -gt 0 ]]; then
    _describe verb verbs
    return
  fi
  kind="${kind:-$argument}"
  case "$kind" in
    file) _files ;;
    folder) _files -/ ;;
    list:*) compadd -- ${=kind#list:} ;;
  esac
}
compdef _yard yard
)";

// case "$verb $word" in … that leads from a verb to the one below it.
std::string PathTable(const std::vector<Node>& nodes) {
  std::string out;
  for (const Node& node : nodes) {
    if (node.command->verbs().empty()) continue;
    const std::string patterns = absl::StrJoin(node.command->verbs(), "|", [&](std::string* text, const auto& verb) {
      absl::StrAppend(text, "\"", node.path, " ", verb->name(), "\"");
    });
    absl::StrAppend(&out, "        ", patterns, ") verb=\"${verb:+$verb }$word\" ;;\n");
  }
  return out;
}

// `script` with its tables; `verbs` is the one of what each verb offers.
std::string FillIn(const char* script, const std::vector<Node>& nodes, const std::string& verbs) {
  const std::string find_verb =
      absl::StrReplaceAll(kFindVerb, {{"@OPTIONS@", NamesWithValue(nodes)}, {"@PATHS@", PathTable(nodes)}});
  return absl::StrReplaceAll(script, {{"@FIND_VERB@", find_verb}, {"@VALUES@", ValueTable(nodes)}, {"@VERBS@", verbs}});
}

}  // namespace

std::string BashCompletion(const Command& yard) {
  const std::vector<Node> nodes = Nodes(yard);
  std::string table;
  for (const Node& node : nodes) {
    const std::string verbs = absl::StrJoin(
        node.command->verbs(), " ", [](std::string* out, const auto& verb) { absl::StrAppend(out, verb->name()); });
    const std::string options = absl::StrJoin(node.options, " ", [](std::string* out, const Option& option) {
      absl::StrAppend(out, absl::StrJoin(Names(option), " "));
    });
    absl::StrAppend(&table, "    \"", node.path, "\") verbs='", verbs, "' options='", options, "' argument='",
                    ArgumentKind(node), "' ;;\n");
  }
  return FillIn(kBash, nodes, table);
}

std::string ZshCompletion(const Command& yard) {
  const std::vector<Node> nodes = Nodes(yard);
  std::string table;
  for (const Node& node : nodes) {
    const std::string verbs = absl::StrJoin(node.command->verbs(), " ", [](std::string* out, const auto& verb) {
      absl::StrAppend(out, Described({verb->name()}, verb->summary()));
    });
    const std::string options = absl::StrJoin(node.options, " ", [](std::string* out, const Option& option) {
      absl::StrAppend(out, Described(Names(option), option.summary));
    });
    absl::StrAppend(&table, "    \"", node.path, "\") verbs=(", verbs, ") options=(", options, ") argument='",
                    ArgumentKind(node), "' ;;\n");
  }
  return FillIn(kZsh, nodes, table);
}

}  // namespace yardmaster::cli
