#include "clients/cli/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace yardmaster::cli {
namespace {

// What may follow an option, or stand where a verb wants an argument.
enum class Values { kNone, kAny, kFile, kFolder, kList };

struct Word {
  std::string text;
  std::string description;
};

struct OptionWords {
  std::vector<Word> names;
  Values values = Values::kNone;
  std::vector<std::string> list;
};

// One verb: the words on the way to it, and what may follow.
struct Node {
  std::string path;  // "triage eval"; empty for the program itself
  std::vector<Word> verbs;
  std::vector<OptionWords> options;
  OptionWords argument;  // the first positional one
};

// The first line of a description, without what would need quoting in any shell.
std::string Plain(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (std::string_view("'\"\\`$:[]").find(c) == std::string_view::npos) out.push_back(c);
  }
  return out;
}

// Closed lists show in CLI11's type name as "TEXT:{bash,zsh}".
std::vector<std::string> ClosedList(const std::string& type_name) {
  const size_t open = type_name.find('{');
  const size_t close = type_name.rfind('}');
  std::vector<std::string> list;
  if (open == std::string::npos || close == std::string::npos || close < open) return list;
  std::string rest = type_name.substr(open + 1, close - open - 1);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    list.push_back(rest.substr(0, comma));
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return list;
}

OptionWords WordsOf(const CLI::Option& option) {
  OptionWords words;
  const std::string description = Plain(option.get_description());
  for (const std::string& name : option.get_lnames()) words.names.push_back({"--" + name, description});
  for (const std::string& name : option.get_snames()) words.names.push_back({"-" + name, description});
  if (option.get_items_expected_max() == 0) return words;
  const std::string type = option.get_type_name();
  words.list = ClosedList(type);
  if (!words.list.empty()) {
    words.values = Values::kList;
  } else if (type.find("DIR") != std::string::npos) {
    words.values = Values::kFolder;
  } else if (type.find("FILE") != std::string::npos || option.get_name(true).find("FILE") != std::string::npos) {
    words.values = Values::kFile;
  } else {
    words.values = Values::kAny;
  }
  return words;
}

void Walk(const CLI::App& app, const std::string& path, std::vector<Node>& nodes) {
  Node node;
  node.path = path;
  for (const CLI::Option* option : app.get_options()) {
    OptionWords words = WordsOf(*option);
    if (option->get_positional()) {
      if (node.argument.values == Values::kNone) node.argument = std::move(words);
    } else {
      node.options.push_back(std::move(words));
    }
  }
  const std::vector<const CLI::App*> verbs = app.get_subcommands(nullptr);
  for (const CLI::App* verb : verbs) node.verbs.push_back({verb->get_name(), Plain(verb->get_description())});
  nodes.push_back(std::move(node));
  for (const CLI::App* verb : verbs)
    Walk(*verb, path.empty() ? verb->get_name() : path + " " + verb->get_name(), nodes);
}

// All nodes; each verb also has the options of the program, which may stand behind it.
std::vector<Node> Nodes(const CLI::App& app) {
  std::vector<Node> nodes;
  Walk(app, "", nodes);
  const std::vector<OptionWords> shared = nodes.front().options;
  const auto has = [](const Node& node, const OptionWords& option) {
    return std::any_of(node.options.begin(), node.options.end(),
                       [&](const OptionWords& own) { return own.names.front().text == option.names.front().text; });
  };
  for (size_t i = 1; i < nodes.size(); ++i) {
    for (const OptionWords& option : shared) {
      // The version is the program's alone.
      if (!has(nodes[i], option) && option.names.front().text != "--version") nodes[i].options.push_back(option);
    }
  }
  return nodes;
}

std::string Joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) out.append(out.empty() ? "" : separator).append(word);
  return out;
}

std::vector<std::string> Texts(const std::vector<Word>& words) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const Word& word : words) texts.push_back(word.text);
  return texts;
}

// What kind of values: a word that both scripts know.
std::string Kind(const OptionWords& option) {
  switch (option.values) {
    case Values::kFile:
      return "file";
    case Values::kFolder:
      return "folder";
    case Values::kList:
      return "list:" + Joined(option.list, " ");
    case Values::kAny:
      return "any";
    case Values::kNone:
      return "";
  }
  return "";
}

// Options with a value, all verbs together: "--packs|--server".
std::string NamesWithValue(const std::vector<Node>& nodes) {
  std::vector<std::string> names;
  for (const Node& node : nodes) {
    for (const OptionWords& option : node.options) {
      if (option.values == Values::kNone) continue;
      for (const Word& name : option.names) {
        if (std::find(names.begin(), names.end(), name.text) == names.end()) names.push_back(name.text);
      }
    }
  }
  return Joined(names, "|");
}

// case "$verb $option" in … that sets `kind` for an option that wants a value.
std::string ValueTable(const std::vector<Node>& nodes) {
  std::string out;
  for (const Node& node : nodes) {
    for (const OptionWords& option : node.options) {
      if (option.values == Values::kNone) continue;
      std::vector<std::string> patterns;
      for (const Word& name : option.names) patterns.push_back("\"" + node.path + " " + name.text + "\"");
      out += "    " + Joined(patterns, "|") + ") kind='" + Kind(option) + "' ;;\n";
    }
  }
  return out;
}

// Finds the verb that the words so far lead to: sets `path`. The same lines serve both shells; `words` is an array,
// `last` the index of its last complete word, `first` of the word behind the program's name.
std::string PathFinder(const std::vector<Node>& nodes) {
  std::string verbs;
  for (const Node& node : nodes) {
    if (node.verbs.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& verb : Texts(node.verbs)) patterns.push_back("\"" + node.path + " " + verb + "\"");
    verbs += "        " + Joined(patterns, "|") + ") verb=\"${verb:+$verb }$word\" ;;\n";
  }
  return "  local verb='' word='' skip=0 i\n"
         "  for ((i = first; i <= last; i++)); do\n"
         "    word=\"${words[i]}\"\n"
         "    if ((skip)); then skip=0; continue; fi\n"
         "    case \"$word\" in\n"
         "      " +
         NamesWithValue(nodes) +
         ") skip=1 ;;\n"
         "      -*) ;;\n"
         "      *)\n"
         "        case \"$verb $word\" in\n" +
         verbs +
         "        esac ;;\n"
         "    esac\n"
         "  done\n";
}

}  // namespace

std::string BashCompletion(const CLI::App& app) {
  const std::vector<Node> nodes = Nodes(app);
  std::string words;
  for (const Node& node : nodes) {
    std::vector<std::string> options;
    for (const OptionWords& option : node.options) options.push_back(Joined(Texts(option.names), " "));
    words += "    \"" + node.path + "\") verbs='" + Joined(Texts(node.verbs), " ") + "' options='" +
             Joined(options, " ") + "' argument='" + Kind(node.argument) + "' ;;\n";
  }
  return "# bash completion for yard. Use it now:    source <(yard completion bash)\n"
         "# Or for every new shell:                 yard completion bash > "
         "~/.local/share/bash-completion/completions/yard\n"
         "_yard() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\" kind='' verbs='' "
         "options='' argument=''\n"
         "  local first=1 last=$((COMP_CWORD - 1))\n"
         "  local words=(\"${COMP_WORDS[@]}\")\n" +
         PathFinder(nodes) +
         "  COMPREPLY=()\n"
         "  case \"$verb $previous\" in\n" +
         ValueTable(nodes) +
         "  esac\n"
         "  case \"$verb\" in\n" +
         words +
         "  esac\n"
         "  if [[ -z $kind && $current == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  if [[ -z $kind && -n $verbs ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$verbs\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"${kind:-$argument}\" in\n"
         "    file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$current\") ;;\n"
         "    folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$current\") ;;\n"
         "    list:*) kind=\"${kind:-$argument}\"; COMPREPLY=($(compgen -W \"${kind#list:}\" -- \"$current\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -F _yard yard\n";
}

std::string ZshCompletion(const CLI::App& app) {
  const std::vector<Node> nodes = Nodes(app);
  const auto described = [](const std::vector<Word>& list) {
    std::vector<std::string> out;
    out.reserve(list.size());
    for (const Word& word : list) out.push_back("'" + word.text + ":" + word.description + "'");
    return Joined(out, " ");
  };
  std::string words;
  for (const Node& node : nodes) {
    std::vector<std::string> options;
    for (const OptionWords& option : node.options) options.push_back(described(option.names));
    words += "    \"" + node.path + "\") verbs=(" + described(node.verbs) + ") options=(" + Joined(options, " ") +
             ") argument='" + Kind(node.argument) + "' ;;\n";
  }
  return "#compdef yard\n"
         "# zsh completion for yard. Save it as _yard in a folder of $fpath, or use it now: source <(yard completion "
         "zsh)\n"
         "_yard() {\n"
         "  local current=\"${words[CURRENT]}\" previous=\"${words[CURRENT-1]}\" kind='' argument=''\n"
         "  local -a verbs options\n"
         "  local first=2 last=$((CURRENT - 1))\n" +
         PathFinder(nodes) + "  case \"$verb $previous\" in\n" + ValueTable(nodes) +
         "  esac\n"
         "  case \"$verb\" in\n" +
         words +
         "  esac\n"
         "  if [[ -z $kind && $current == -* ]]; then\n"
         "    _describe option options\n"
         "    return\n"
         "  fi\n"
         "  if [[ -z $kind && ${#verbs} -gt 0 ]]; then\n"
         "    _describe verb verbs\n"
         "    return\n"
         "  fi\n"
         "  kind=\"${kind:-$argument}\"\n"
         "  case \"$kind\" in\n"
         "    file) _files ;;\n"
         "    folder) _files -/ ;;\n"
         "    list:*) compadd -- ${=kind#list:} ;;\n"
         "  esac\n"
         "}\n"
         "compdef _yard yard\n";
}

}  // namespace yardmaster::cli
