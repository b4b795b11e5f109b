// A text that is parsed by what it shares with another version has the tree that it has by itself.
#include "rules/engine/code/tree_edit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "services/core/lines.h"

namespace yardmaster::rules {
namespace {

using std::chrono::seconds;
using Node = std::tuple<std::string, uint32_t, uint32_t, uint32_t, uint32_t>;

void AddNodes(TSNode node, std::vector<Node>& nodes) {
  const TSPoint begin = ts_node_start_point(node);
  nodes.emplace_back(ts_node_type(node), ts_node_start_byte(node), ts_node_end_byte(node), begin.row, begin.column);
  for (uint32_t i = 0; i < ts_node_child_count(node); ++i) AddNodes(ts_node_child(node, i), nodes);
}

std::vector<Node> NodesOf(const SyntaxTree& tree) {
  std::vector<Node> nodes;
  if (tree) AddNodes(ts_tree_root_node(tree.get()), nodes);
  return nodes;
}

// Each line with the next equal one of `before`.
std::vector<uint32_t> Pairs(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> old = LinesOf(before);
  std::vector<uint32_t> pairs = {0};
  size_t next = 0;
  for (const std::string_view line : LinesOf(after)) {
    const auto found = std::find(old.begin() + static_cast<ptrdiff_t>(next), old.end(), line);
    if (found != old.end()) next = static_cast<size_t>(found - old.begin()) + 1;
    pairs.push_back(found == old.end() ? 0 : static_cast<uint32_t>(next));
  }
  return pairs;
}

SyntaxTree After(Language language, std::string_view before, std::string_view after) {
  SyntaxTree former = ParseSource(language, before, seconds(10));
  if (ts_node_has_error(ts_tree_root_node(former.get()))) return nullptr;
  EditTree(former, before, after, Pairs(before, after));
  return ParseSourceAfter(former.get(), language, after, seconds(10));
}

struct Texts {
  std::string_view name;
  std::string_view before;
  std::string_view after;
};

class TreeEditTest : public ::testing::TestWithParam<Texts> {};

TEST_P(TreeEditTest, TheTreeIsTheSame) {
  const auto& [name, before, after] = GetParam();
  EXPECT_EQ(NodesOf(After(Language::kPython, before, after)),
            NodesOf(ParseSource(Language::kPython, after, seconds(10))));
}

INSTANTIATE_TEST_SUITE_P(
    Ends, TreeEditTest,
    ::testing::Values(Texts{"both_empty", "", ""}, Texts{"from_empty", "", "x = 1\n"}, Texts{"to_empty", "x = 1\n", ""},
                      Texts{"same", "x = 1\n", "x = 1\n"}, Texts{"line_end_added", "x = 1", "x = 1\n"},
                      Texts{"line_end_gone", "x = 1\ny = 2\n", "x = 1\ny = 2"},
                      Texts{"more_behind_an_open_line", "x = 1", "x = 1\ny = 2\nz = 3"},
                      Texts{"less_behind_an_open_line", "x = 1\ny = 2\nz = 3", "x = 1"},
                      Texts{"line_before_an_open_one", "x = 1", "w = 0\nx = 1"},
                      Texts{"all_others", "x = 1\ny = 2\n", "def f(a):\n  return a\n"},
                      Texts{"string_opened", "x = 1\ny = 2\nz = '''a'''\n", "x = '''1\ny = 2\nz = '''\n"},
                      Texts{"an_error", "x = 1\ny = 2\n", "x = (1\ny = 2\n"},
                      Texts{"a_star", "x = 1\ny = 2\n", "x = a, *[c]\ny = 2\n"},
                      Texts{"a_star_before", "x = a, *[c]\ny = 2\n", "x = a, *[c]\ny = 3\n"},
                      Texts{"windows_ends", "x = 1\r\ny = 2\r\n", "x = 1\r\nz = 2\r\ny = 2\r\n"},
                      Texts{"characters", "a = 'ä'\nb = '中文'\nc = 1\n", "a = 'äö'\nb = '中文'\nc = 2\n"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(TreeEdit, OfAFileThatChangesItsLanguageAllIsParsed) {
  const std::string_view before = "def f(a):\n  return a\n";
  const std::string_view after = "int f(int a) {\n  return a;\n}\n";
  for (const std::string_view text : {before, after}) {
    SyntaxTree former = ParseSource(Language::kPython, before, seconds(10));
    EditTree(former, before, text, Pairs(before, text));
    EXPECT_EQ(NodesOf(ParseSourceAfter(former.get(), Language::kCpp, text, seconds(10))),
              NodesOf(ParseSource(Language::kCpp, text, seconds(10))));
  }
}

TEST(TreeEdit, VersionsThatDifferInTooManyPlacesShareNoTree) {
  const auto text = [](size_t changes) {
    std::string lines;
    for (size_t i = 0; i < 2 * kMaxTreeEdits + 10; ++i) lines += i % 2 == 0 && i / 2 < changes ? "y = 2\n" : "x = 1\n";
    return lines;
  };
  for (const size_t changes : {kMaxTreeEdits, kMaxTreeEdits + 1}) {
    std::vector<uint32_t> pairs = {0};
    for (size_t i = 0; i < 2 * kMaxTreeEdits + 10; ++i) {
      pairs.push_back(i % 2 == 0 && i / 2 < changes ? 0 : static_cast<uint32_t>(i + 1));
    }
    SyntaxTree former = ParseSource(Language::kPython, text(0), seconds(10));
    EditTree(former, text(0), text(changes), pairs);
    EXPECT_EQ(former != nullptr, changes == kMaxTreeEdits);
    EXPECT_EQ(NodesOf(ParseSourceAfter(former.get(), Language::kPython, text(changes), seconds(10))),
              NodesOf(ParseSource(Language::kPython, text(changes), seconds(10))));
  }
}

// Lines are taken away, added and changed at random; what can't be parsed is compared as well.
void PlayVersions(Language language, const std::vector<std::string>& lines, uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); };
  const auto text_of = [&](const std::vector<std::string>& of) {
    std::string text;
    for (const std::string& line : of) text += line + "\n";
    if (!text.empty() && below(8) == 0) text.pop_back();
    return text;
  };
  size_t compared = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> version = lines;
    if (round % 2 == 1) version.erase(version.begin() + static_cast<ptrdiff_t>(below(version.size())));
    const std::string before = text_of(version);
    for (size_t edits = 1 + below(4); edits > 0; --edits) {
      const auto at = version.begin() + static_cast<ptrdiff_t>(below(version.size()));
      const std::string& other = lines[below(lines.size())];
      switch (below(4)) {
        case 0:
          version.erase(at);
          break;
        case 1:
          version.insert(at, other);
          break;
        case 2:
          *at = other;
          break;
        default:
          at->insert(below(at->size() + 1), "x");
      }
    }
    const std::string after = text_of(version);
    const SyntaxTree tree = After(language, before, after);
    if (!tree) continue;  // the version before had errors
    ++compared;
    ASSERT_EQ(NodesOf(tree), NodesOf(ParseSource(language, after, seconds(10)))) << before << "-----\n" << after;
  }
  EXPECT_GT(compared, 50U);
}

TEST(TreeEdit, VersionsOfPythonHaveTheirOwnTree) {
  const std::vector<std::string> lines = {"import os",
                                          "from a import (b,",
                                          "               c)",
                                          "",
                                          "# A comment.",
                                          "@d.e(1)",
                                          "class A(B):",
                                          "    '''Doc",
                                          "    of it.'''",
                                          "    x: int = 1",
                                          "    def f(self, a, *b, c=2, **d) -> str:",
                                          "        if a:",
                                          "            return f'{a!r:>{c}} {b}'",
                                          "        elif b:",
                                          "            pass",
                                          "        else:",
                                          "            yield from g(a)[1:2, ...]",
                                          "        # At the end.",
                                          "    async def h(self):",
                                          "        async with a as b, c:",
                                          "            await b",
                                          "        return [i for i in b if i] or {**c}",
                                          "",
                                          "for i in 1, 2:",
                                          "\ttry:",
                                          "\t\tprint(i, file=x)",
                                          "\texcept (C, D) as e:",
                                          "\t\traise E from e",
                                          "match x:",
                                          "    case {'a': 1}:",
                                          "        lambda: x",
                                          "x = \\",
                                          "    1 if a else 2"};
  for (uint32_t seed = 1; seed <= 3; ++seed) PlayVersions(Language::kPython, lines, seed);
}

TEST(TreeEdit, VersionsOfCudaHaveTheirOwnTree) {
  const std::vector<std::string> lines = {"#include <a.h>",
                                          "#define M(x) \\",
                                          "  x",
                                          "namespace n {",
                                          "// A comment.",
                                          "template <typename T, int N = 2>",
                                          "__global__ void k(T* a, const int b) {",
                                          "  for (int i = 0; i < b; ++i) {",
                                          "    a[i] += R\"(raw)\"[0] * 2;",
                                          "  }",
                                          "}",
                                          "class A : public B<int> {",
                                          " public:",
                                          "  A() : x_(1) {}",
                                          "  int f(int a) const override { return a > 1 ? x_ : a; }",
                                          " private:",
                                          "  int x_ = 0;",
                                          "};",
                                          "/* of more",
                                          "   lines */",
                                          "void g() { k<float><<<1, 2>>>(nullptr, 3); }",
                                          "auto l = [&](auto v) -> int { return v; };",
                                          "#if X",
                                          "static std::vector<std::vector<int>> v = {{1}, {2}};",
                                          "#endif",
                                          "}  // namespace n"};
  for (uint32_t seed = 1; seed <= 3; ++seed) PlayVersions(Language::kCuda, lines, seed);
}

}  // namespace
}  // namespace yardmaster::rules
