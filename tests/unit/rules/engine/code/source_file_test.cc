#include "rules/engine/code/source_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/thread_clock.h"
namespace yardmaster::rules {
namespace {

using std::chrono::milliseconds;

std::shared_ptr<const SourceFile> ReadWithin(const std::string& path, std::string text,
                                             milliseconds limit = milliseconds(2000)) {
  return SourceFile::Read(path, std::move(text), limit);
}

std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

const EntryFact* Entry(const FileFacts& facts, std::string_view pointer) {
  for (const EntryFact& entry : facts.entries) {
    if (entry.pointer == pointer) return &entry;
  }
  return nullptr;
}

TEST(PythonFacts, AFunctionHasItsParametersDefaultsAndDocstring) {
  const auto file =
      ReadWithin("a.py",
                 "class A(Base):\n  @deco(1)\n  async def f(self, a: int, /, b=2, *args, c, **kw) -> int:\n"
                 "    \"\"\"What it does.\"\"\"\n    return a\n");
  const FileFacts& facts = file->facts();
  ASSERT_EQ(facts.functions.size(), 1U);
  const FunctionFact& function = facts.functions[0];
  EXPECT_EQ(function.qualified, "A.f");
  EXPECT_EQ(function.doc, "What it does.");
  EXPECT_EQ(function.level, Level::kClass);
  EXPECT_TRUE(function.is_async);
  EXPECT_FALSE(function.stub);
  ASSERT_EQ(facts.parameters.size(), 6U);
  EXPECT_EQ(facts.parameters[1].form, ParameterForm::kPositionalOnly);
  EXPECT_TRUE(facts.parameters[2].has_default);
  EXPECT_EQ(facts.parameters[3].form, ParameterForm::kArgs);
  EXPECT_EQ(facts.parameters[4].form, ParameterForm::kKeywordOnly);
  EXPECT_EQ(facts.parameters[5].name, "kw");
  EXPECT_EQ(facts.classes[0].bases[0], "Base");
  EXPECT_EQ(facts.exprs_by_slot[static_cast<size_t>(Slot::kDecorator)].size(), 1U);
}

TEST(PythonFacts, ATargetInATupleKnowsItsPlaceAndItsElement) {
  const auto file = ReadWithin(
      "a.py", "a, b = 1, f(2, 3)\nc, d = x.shape\n(e, *g, h) = 1, 2, 3\ni, (j, k) = 1, (2, 3)\nl, m = *p, q\n");
  const FileFacts& facts = file->facts();
  std::string text;
  for (const AssignFact& assign : facts.assigns) {
    text += std::string(facts.Text(assign.span)) + " " +
            (assign.position.has_value() ? std::to_string(*assign.position) : "-") + " " +
            (assign.value == kNoRow ? "-" : std::string(facts.Text(facts.exprs[assign.value].span))) + "\n";
  }
  EXPECT_EQ(text, "a 0 1\nb 1 f(2, 3)\nc 0 -\nd 1 -\ne 0 1\ng - -\nh - -\ni 0 -\nj - -\nk - -\nl 0 -\nm 1 -\n");
}

TEST(PythonFacts, ImportsKnowWhatTheyBindAndWhatGuardsThem) {
  const auto file =
      ReadWithin("a.py",
                 "import a.b as c\nfrom .x import y as z\ntry:\n  import torch\nexcept ImportError:\n  pass\n"
                 "if TYPE_CHECKING:\n  import t\ndef f():\n  from m import *\n");
  const auto& imports = file->facts().imports;
  ASSERT_EQ(imports.size(), 5U);
  EXPECT_EQ(imports[0].bound, "c");
  EXPECT_TRUE(imports[0].top);
  EXPECT_EQ(imports[1].level, 1U);
  EXPECT_EQ(imports[1].module, "x");
  EXPECT_EQ(imports[1].bound, "z");
  EXPECT_EQ(imports[2].place.guard, Guard::kTry);
  EXPECT_FALSE(imports[2].top);
  EXPECT_EQ(imports[3].place.guard, Guard::kTypeChecking);
  EXPECT_EQ(imports[4].name, "*");
  EXPECT_FALSE(imports[4].top);
  EXPECT_EQ(file->facts().aliases.at("c"), "a.b");
}

TEST(PythonFacts, ExpressionsStandInOrderAndKnowTheirPlaces) {
  const auto file = ReadWithin("a.py", "for i in fw.loop(4, unroll=[1, 2]):\n  y[i] = fw.exp(x) @ w.T\n");
  const FileFacts& facts = file->facts();
  for (size_t i = 1; i < facts.exprs.size(); ++i) {
    EXPECT_LE(facts.exprs[i - 1].span.begin, facts.exprs[i].span.begin) << i;
  }
  ASSERT_EQ(facts.loops.size(), 1U);
  EXPECT_EQ(facts.exprs[facts.loops[0].iterable].name, "fw.loop");
  EXPECT_EQ(facts.exprs[facts.loops[0].iterable].positional, 1U);
  ASSERT_EQ(facts.assigns.size(), 2U);
  EXPECT_EQ(facts.assigns[1].place.loop, 0U);
  EXPECT_EQ(facts.exprs[facts.assigns[1].target].type, ExprType::kSubscript);
  EXPECT_EQ(facts.exprs[facts.assigns[1].value].op, "@");
}

TEST(PythonFacts, ASyntaxErrorHasItsPlaceAndTheRestIsRead) {
  const auto file = ReadWithin("a.py", "def f(x):\n  return x\n\ny = = 3\ndef g(): pass\n");
  ASSERT_EQ(file->facts().errors.size(), 1U);
  EXPECT_EQ(file->facts().LineOf(file->facts().errors[0].begin), 4U);
  EXPECT_EQ(file->facts().functions.size(), 2U);
}

TEST(PythonFacts, AStatementBehindAJumpIsMarked) {
  const auto file = ReadWithin("a.py", "def f():\n  raise E\n  x = 1\n");
  EXPECT_TRUE(file->facts().statements.back().after_jump);
}

TEST(MarkdownFacts, SectionsCheckboxesAndTables) {
  const auto file = ReadWithin("a.md",
                               "---\nname: demo\naxes: [N, M]\n---\n# Top\ntext\n## Review\n- [x] done\n- [ ] open\n\n"
                               "| # | op |\n|---|---|\n| 1 | `a|b` |\n## Last\n```python\nimport fw\nfw.exp(x)\n```\n");
  const FileFacts& facts = file->facts();
  EXPECT_TRUE(facts.front_matter);
  ASSERT_NE(Entry(facts, "/axes/1"), nullptr);
  EXPECT_EQ(Entry(facts, "/axes/1")->value, "M");
  ASSERT_EQ(facts.sections.size(), 3U);
  EXPECT_EQ(facts.sections[1].title, "Review");
  EXPECT_EQ(facts.sections[1].parent, 0U);
  ASSERT_EQ(facts.checkboxes.size(), 2U);
  EXPECT_EQ(facts.checkboxes[0].extra, "x");
  EXPECT_EQ(facts.checkboxes[1].body, "open");
  ASSERT_EQ(facts.table_rows.size(), 1U);
  EXPECT_THAT(facts.table_rows[0].cells, testing::ElementsAre("1", "`a|b`"));
  ASSERT_EQ(facts.code_blocks.size(), 1U);
  EXPECT_TRUE(facts.code_blocks[0].valid);
  const auto& calls = facts.exprs_by_type[static_cast<size_t>(ExprType::kCall)];
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(facts.LineOf(facts.exprs[calls[0]].span.begin), 17U);
}

TEST(MarkdownFacts, LinksMayStandInEachOther) {
  const auto file = ReadWithin("a.md", "a ](b) [![one](two \"t\")](three) `[no](link)` [four](five)\n[six](seven\n");
  const auto& links = file->facts().links;
  ASSERT_EQ(links.size(), 4U);
  EXPECT_EQ(links[0].body, "b");
  EXPECT_EQ(links[0].extra, "");
  EXPECT_EQ(links[1].body, "three");
  EXPECT_EQ(links[1].extra, "![one](two \"t\")");
  EXPECT_EQ(links[2].body, "two");
  EXPECT_EQ(links[2].extra, "one");
  EXPECT_EQ(links[3].extra, "four");
  for (size_t i = 0; i < links.size(); ++i) {
    EXPECT_EQ(links[i].index, i);
    EXPECT_LE(links[i == 0 ? 0 : i - 1].span.begin, links[i].span.begin);
  }
  EXPECT_EQ(file->facts().codewords.size(), 2U);
}

// The grammar as it comes counts rows and columns in 16 bits.
TEST(DataFacts, YamlIsReadRightBeyond32767LinesAndColumns) {
  const size_t count = 40'000;
  std::string lines = "list:\n";
  for (size_t i = 0; i < count; ++i) lines += "  - v" + std::to_string(i) + "\n";
  lines += "last: {a: [1, 2]}\n";
  const auto file = ReadWithin("a.yaml", lines, milliseconds(60'000));
  EXPECT_TRUE(file->facts().errors.empty());
  EXPECT_TRUE(file->facts().limits.empty());
  size_t seen = 0;
  for (const EntryFact& entry : file->facts().entries) {
    if (!entry.pointer.starts_with("/list/")) continue;
    ASSERT_EQ(entry.value, "v" + std::to_string(seen));
    ASSERT_EQ(entry.pointer, "/list/" + std::to_string(seen));
    ASSERT_EQ(file->facts().LineOf(entry.span.begin), seen + 2);
    ++seen;
  }
  EXPECT_EQ(seen, count);
  EXPECT_NE(Entry(file->facts(), "/last/a/1"), nullptr);

  const auto flow = ReadWithin("b.yaml", "a: [" + Repeat("1, ", count) + "2]\nb: 3\n", milliseconds(60'000));
  EXPECT_TRUE(flow->facts().errors.empty());
  const EntryFact* last = Entry(flow->facts(), "/a/" + std::to_string(count));
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->number, 2);
  EXPECT_NE(Entry(flow->facts(), "/b"), nullptr);
}

TEST(DataFacts, AYamlErrorBehind32767LinesHasItsPlace) {
  const auto file = ReadWithin("a.yaml", Repeat("- a: 1\n", 40'000) + "- b: [1,\n- c: 2\n", milliseconds(60'000));
  ASSERT_EQ(file->facts().errors.size(), 1U);
  EXPECT_GE(file->facts().LineOf(file->facts().errors[0].end - 1), 40'001U);
}

TEST(DataFacts, YamlEntriesHavePointersAndTypes) {
  const auto file = ReadWithin("a.yaml", "list:\n  - {name: q, n: 3}\n  - name: 'it''s'\nempty:\nlist: again\n");
  const FileFacts& facts = file->facts();
  ASSERT_NE(Entry(facts, "/list/0/n"), nullptr);
  EXPECT_EQ(Entry(facts, "/list/0/n")->number, 3);
  ASSERT_NE(Entry(facts, "/list/1/name"), nullptr);
  EXPECT_EQ(Entry(facts, "/list/1/name")->value, "it's");
  EXPECT_EQ(Entry(facts, "/empty")->type, EntryType::kNull);
  EXPECT_TRUE(facts.entries.back().duplicate);
}

TEST(DataFacts, NumbersThatWritersOfJsonUseAreNoSyntaxErrors) {
  const auto file = ReadWithin("a.json", R"({"max": 3.4e+38, "none": NaN, "low": -Infinity, "wrong": NaNs})");
  const FileFacts& facts = file->facts();
  ASSERT_NE(Entry(facts, "/max"), nullptr);
  EXPECT_EQ(Entry(facts, "/max")->value, "3.4e+38");
  EXPECT_DOUBLE_EQ(Entry(facts, "/max")->number, 3.4e38);
  ASSERT_NE(Entry(facts, "/none"), nullptr);
  EXPECT_EQ(Entry(facts, "/none")->value, "NaN");
  EXPECT_EQ(Entry(facts, "/low")->value, "-Infinity");
  EXPECT_FALSE(facts.errors.empty());
  EXPECT_TRUE(ReadWithin("b.json", "[3.4e+38, NaN, -Infinity]")->facts().errors.empty());
}

TEST(DataFacts, JsonEntriesHavePointersAndTypes) {
  const auto file = ReadWithin("a.json", R"({"a/b": [1, true, null, "x\"y"], "c": {}})");
  const FileFacts& facts = file->facts();
  ASSERT_NE(Entry(facts, "/a~1b/3"), nullptr);
  EXPECT_EQ(Entry(facts, "/a~1b/3")->value, "x\"y");
  EXPECT_EQ(Entry(facts, "/a~1b")->size, 4U);
  EXPECT_EQ(Entry(facts, "/c")->type, EntryType::kMap);
}

std::vector<std::string_view> TypesOf(const auto& rows) {
  std::vector<std::string_view> types;
  types.reserve(rows.size());
  for (const auto& row : rows) types.push_back(row.type);
  return types;
}

TEST(CppFacts, DeclaredTypesAreThoseOfTheCode) {
  const auto file = ReadWithin("a.cc",
                               "static const std::vector<int>& f(const Tensor& t, int* p, float, char* s = nullptr) {\n"
                               "  const auto n = 1;\n  static int a = 1, *b = p, c[2] = {1, 2};\n"
                               "  std::unique_ptr<Node> node{make()};\n  unsigned long const big = 2;\n}\n"
                               "auto g() -> Status { return {}; }\nNode::Node(int size) {}\nvoid* h() {}\n");
  const FileFacts& facts = file->facts();
  EXPECT_THAT(TypesOf(facts.functions), ::testing::ElementsAre("const std::vector<int>&", "Status", "", "void*"));
  EXPECT_THAT(TypesOf(facts.parameters), ::testing::ElementsAre("const Tensor&", "int*", "float", "char*", "int"));
  EXPECT_THAT(TypesOf(facts.assigns), ::testing::ElementsAre("const auto", "int", "int *", "int",
                                                             "std::unique_ptr<Node>", "unsigned long const"));
}

TEST(CppFacts, CommasAndCastsHaveOperands) {
  const auto file = ReadWithin("a.cc", "void f() {\n  a, b();\n  (int*)p;\n}\n");
  const FileFacts& facts = file->facts();
  ASSERT_EQ(facts.exprs.size(), 6U);
  EXPECT_EQ(facts.exprs[0].op, ",");
  EXPECT_EQ(facts.exprs[1].slot, Slot::kLeft);
  EXPECT_EQ(facts.exprs[2].slot, Slot::kRight);
  EXPECT_EQ(facts.exprs[4].op, "cast");
  EXPECT_EQ(facts.exprs[5].slot, Slot::kOperand);
  EXPECT_EQ(facts.exprs[5].name, "p");
}

TEST(PythonFacts, TypeParameters) {
  const auto file =
      ReadWithin("a.py", "def f[T](x: T): pass\n@d\nclass A[T]: pass\ndef g(x): return x[1]\nclass B(A[int]): pass\n");
  const FileFacts& facts = file->facts();
  ASSERT_EQ(facts.functions.size(), 2U);
  EXPECT_TRUE(facts.functions[0].type_parameters);
  EXPECT_FALSE(facts.functions[1].type_parameters);
  ASSERT_EQ(facts.classes.size(), 2U);
  EXPECT_TRUE(facts.classes[0].type_parameters);
  EXPECT_FALSE(facts.classes[1].type_parameters);
}

TEST(CppFacts, FunctionsIncludesCallsAndLaunches) {
  const auto file =
      ReadWithin("a.cu",
                 "#include <vector>\n#include \"own.h\"\nnamespace n {\n__global__ void k(float* p, int n = 2) "
                 "{}\nclass A : public B {\n  void m() { x.y->z(1); }\n};\nvoid h() {\n  int b = 3;\n"
                 "  k<<<grid, b>>>(p, 1);\n  for (int i = 0; i < 3; ++i) { at::empty(s); }\n}\n}\n");
  const FileFacts& facts = file->facts();
  EXPECT_TRUE(facts.errors.empty());
  ASSERT_EQ(facts.imports.size(), 2U);
  EXPECT_TRUE(facts.imports[0].system);
  EXPECT_EQ(facts.imports[1].module, "own.h");
  ASSERT_EQ(facts.functions.size(), 3U);
  EXPECT_EQ(facts.functions[0].name, "k");
  EXPECT_TRUE(facts.functions[0].global_kernel);
  EXPECT_EQ(facts.functions[0].parameters, 2U);
  EXPECT_EQ(facts.functions[1].qualified, "A::m");
  ASSERT_EQ(facts.classes.size(), 1U);
  EXPECT_THAT(facts.classes[0].bases, testing::ElementsAre("B"));
  const auto& calls = facts.exprs_by_type[static_cast<size_t>(ExprType::kCall)];
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(facts.exprs[calls[0]].name, "x.y->z");
  EXPECT_TRUE(facts.exprs[calls[1]].launch);
  EXPECT_EQ(facts.exprs[calls[2]].name, "at::empty");
  EXPECT_EQ(facts.exprs[calls[2]].place.loop, 0U);
}

// Every hostile text ends within limits, and what was left out is told.
TEST(HostileTexts, DeepNestingIsAPassedLimit) {
  for (const char* path : {"a.py", "a.cc", "a.cu", "a.json", "a.yaml"}) {
    for (const char* open : {"(", "[", "{", "f(", "[{", "- "}) {
      const auto start = ThreadClock::now();
      const auto file = ReadWithin(path, Repeat(open, 66'000));
      const auto took = ThreadClock::now() - start;
      EXPECT_LT(took, milliseconds(10'000)) << path << " " << open;
      EXPECT_FALSE(file->facts().errors.empty() && file->facts().limits.empty() && file->facts().entries.empty())
          << path << " " << open;
    }
  }
}

TEST(HostileTexts, BalancedNestingIsAPassedLimit) {
  const auto file = ReadWithin("a.py", "x = " + Repeat("(", 2000) + "1" + Repeat(")", 2000) + "\n");
  ASSERT_EQ(file->facts().limits.size(), 1U);
  EXPECT_THAT(file->facts().limits[0].message, testing::HasSubstr("nested deeper than 500"));
}

TEST(HostileTexts, ALargeFileIsNotRead) {
  const auto file = ReadWithin("a.py", std::string(kMaxSourceBytes + 1, 'x'));
  ASSERT_EQ(file->facts().limits.size(), 1U);
  EXPECT_TRUE(file->facts().exprs.empty());
}

TEST(HostileTexts, BytesThatAreNoTextAreRead) {
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes += static_cast<char>(1 + i * 37 % 255);
  for (const char* path : {"a.py", "a.cc", "a.cu", "a.json", "a.yaml", "a.md", "a.txt"}) {
    const auto file = ReadWithin(path, bytes);
    EXPECT_EQ(file->facts().text.size(), bytes.size()) << path;
  }
}

TEST(HostileTexts, ABinaryFileIsNotRead) {
  for (const char* path : {"a.py", "a.cc", "a.json", "a.md", "a.txt"}) {
    const auto file = ReadWithin(path, std::string("x = (\0", 6));
    ASSERT_EQ(file->facts().limits.size(), 1U) << path;
    EXPECT_EQ(file->facts().limits[0].message, "the file is binary, with 6 bytes");
    EXPECT_TRUE(file->facts().errors.empty());
  }
}

// A name that others are built upon must not be copied for each of them.
TEST(HostileTexts, LongNamesAroundManyShortOnesAreAPassedLimit) {
  const std::string name(200'000, 'n');
  const std::pair<std::string, std::string> texts[] = {
      {"a.py", "class " + name + ":\n" + Repeat("  def f(): pass\n", 10'000)},
      {"a.cc", "class " + name + " {\n" + Repeat("void f() {}\n", 10'000) + "};\n"},
      {"a.json", "{\"" + name + "\": [1" + Repeat(",1", 10'000) + "]}"},
      {"a.yaml", name.substr(0, 500) + ": [\n" + Repeat("  1,1,1,1,1,1,1,1,1,1,\n", 10'000) + "  1]\n"},
  };
  for (const auto& [path, text] : texts) {
    const auto file = ReadWithin(path, text, milliseconds(60'000));
    EXPECT_LE(file->facts().made_bytes, kMaxMadeBytes) << path;
    ASSERT_EQ(file->facts().limits.size(), 1U) << path;
    EXPECT_THAT(file->facts().limits[0].message, testing::HasSubstr("names and pointers")) << path;
  }
}

// Every byte a token: the tree takes 50 times what that of usual code takes.
TEST(HostileTexts, MemoryOfAParseIsBounded) {
  const auto file = ReadWithin("a.py", Repeat("a\n", 1'000'000), milliseconds(60'000));
  ASSERT_EQ(file->facts().limits.size(), 1U);
  EXPECT_EQ(file->facts().limits[0].message, "parsing took more than 96 MiB of memory");
  // The next one has all of it again.
  EXPECT_TRUE(ReadWithin("b.py", Repeat("a\n", 50'000), milliseconds(60'000))->facts().limits.empty());
}

// Beyond 16 bits a block would seem to stand elsewhere.
TEST(HostileTexts, LinesThatAreIndentedTooFarAreAPassedLimit) {
  const std::string far(70'000, ' ');
  const std::pair<const char*, std::string> texts[] = {
      {"a.py", "if x:\n" + far + "a\n"},
      {"a.yaml", "k:\n" + far + "a: 1\n"},
      {"b.yaml", "-" + far + "a: 1\n"},
      {"a.md", "---\nk:\n" + far + "a: 1\n---\n"},
  };
  for (const auto& [path, text] : texts) {
    const auto file = ReadWithin(path, text);
    EXPECT_TRUE(file->facts().errors.empty()) << path;
    ASSERT_EQ(file->facts().limits.size(), 1U) << path;
    EXPECT_THAT(file->facts().limits[0].message, testing::HasSubstr("indented by more than 4000")) << path;
  }
  EXPECT_TRUE(ReadWithin("b.py", "x = 1" + far + "+ 2\n")->facts().limits.empty());
  EXPECT_TRUE(ReadWithin("a.json", far + "1\n")->facts().limits.empty());
}

TEST(HostileTexts, FactsOfAFileAreBounded) {
  const std::pair<const char*, std::string> texts[] = {
      {"a.md", Repeat("# a\n", kMaxSourceRows)},
      {"b.md", "|a|\n|-|\n" + Repeat("|", kMaxSourceRows + 10)},
      {"c.md", "```python\nx = 1\n```\n" + Repeat("[](a)", 300'000) + "\n" + Repeat("- a\n", 100'000)},
  };
  for (const auto& [path, text] : texts) {
    const auto file = ReadWithin(path, text, milliseconds(60'000));
    ASSERT_EQ(file->facts().limits.size(), 1U) << path;
    EXPECT_THAT(file->facts().limits[0].message, testing::HasSubstr("more than 400000 facts")) << path;
    EXPECT_LE(file->facts().rows, kMaxSourceRows + 2) << path;
  }
}

TEST(HostileTexts, MarkdownStaysLinear) {
  for (const char* piece :
       {"![[]()", "`", "|", "| a |\n|---|\n", "[", "](", "](a)", "[](", "#\n", "- [x]\n", "```\n"}) {
    const auto took = [&](size_t bytes) {
      const auto start = ThreadClock::now();
      ReadWithin("a.md", Repeat(piece, bytes / std::string_view(piece).size()));
      return ThreadClock::now() - start;
    };
    // Four times as much takes four times as long, sixteen times where pairs are compared; a little more for
    // what the machine does beside it.
    const auto quarter = took(500'000);
    EXPECT_LT(took(2'000'000), 9 * quarter + milliseconds(200)) << piece;
  }
}

}  // namespace
}  // namespace yardmaster::rules
