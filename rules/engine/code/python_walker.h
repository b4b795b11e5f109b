// The walk over the syntax tree of Python that makes facts. Private to the reader, whose source files are
// python_statements.cc, python_control_flow.cc, python_definitions.cc and python_expressions.cc. Every member function
// reads the node at the cursor and leaves the cursor there.
#ifndef YARDMASTER_RULES_ENGINE_CODE_PYTHON_WALKER_H_
#define YARDMASTER_RULES_ENGINE_CODE_PYTHON_WALKER_H_

#include <tree_sitter/api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rules/engine/code/fact_builder.h"
#include "rules/engine/code/facts.h"
#include "rules/engine/code/python_grammar.h"

namespace yardmaster::rules {

class PythonReader : public FactBuilder {
 public:
  PythonReader(TSNode root, RowIndex block, FileFacts& facts) : FactBuilder(facts, root), g_(PythonGrammar::Get()) {
    place_.block = block;
  }

  void Read() { Block(false); }

 private:
  // What a block said on the way.
  struct BlockResult {
    size_t statements = 0;
    RowIndex first = kNoRow;
    bool stub = true;
  };

  using Kind = PythonKind;
  using enum PythonKind;
  Kind KindOf(TSNode node) const { return static_cast<Kind>(g_.symbols.KindOf(node)); }

  // Calls `visit(kind)` with the cursor at each named child; comments are read instead.
  template <typename Visit>
  void ForEachNamed(Visit visit) {
    ForEachChild([&] {
      if (!ts_node_is_named(Current())) return;
      const Kind kind = KindOf(Current());
      if (kind == kComment) return Comment();
      visit(kind);
    });
  }

  // The statements below the current node, which is a block, the module, or an error.
  BlockResult Block(bool nested);
  // Characters before the statement that begins at `offset`, as Python compares them; nullopt where it is not the first
  // of its line.
  std::optional<size_t> IndentOf(uint32_t offset) const;
  // A syntax error that the grammar does not know, in the words of CPython. Only the first one is told.
  void Refuse(ByteSpan span, std::string_view why);
  // Whether an error is known already.
  bool Refused() const;
  // A statement that does nothing.
  bool IsStub(const StatementFact& fact) const;
  void Comment();
  RowIndex Open(StatementType type, size_t index, bool nested, bool jumped);
  // Returns the row of the statement at the cursor, or kNoRow where there is none.
  RowIndex Statement(Kind kind, size_t index, bool nested, bool jumped);
  // The children that are blocks.
  void Blocks();
  // Blocks and expressions below a node that nothing more is known about.
  void Generic();
  RowIndex ExpressionStatement(size_t index, bool nested, bool jumped);
  // The cursor is at an assignment. Returns its value.
  RowIndex Assignment(Kind kind);
  // The cursor is at what is assigned to. `position` is its place in the tuple that it is part of.
  void Target(std::string_view form, std::string_view op, bool in_tuple, std::optional<uint32_t> position = {});
  // What the target at `position` of `targets` takes of `value`; kNoRow where the text does not tell.
  RowIndex ItemFor(std::optional<uint32_t> position, size_t targets, RowIndex value) const;
  void Import(Kind kind);
  Guard Stronger(Guard guard) const;
  RowIndex If(size_t index, bool nested, bool jumped);
  RowIndex Loop(Kind kind, size_t index, bool nested, bool jumped);
  RowIndex Try(size_t index, bool nested, bool jumped);
  void Except();
  void ExceptNames(RowIndex statement);
  RowIndex With(size_t index, bool nested, bool jumped);
  void WithItem(RowIndex statement);
  RowIndex Decorated(size_t index, bool nested, bool jumped);
  // The cursor is at the definition of `function`.
  void Function(RowIndex function);
  bool DocOf(const BlockResult& block, std::string_view& doc) const;
  void Parameters(RowIndex function);
  void Class(RowIndex cls);
  // `name=value` of a call or a class.
  void Keyword(RowIndex parent, size_t index);
  // The children that are expressions, as items.
  void Items(RowIndex row, Slot slot);
  // The expression at the cursor and everything inside. Returns its row, or kNoRow where there is none.
  RowIndex Expr(Slot slot, RowIndex parent, size_t index);
  void Call(RowIndex row);
  void String(RowIndex row);
  void Dictionary(RowIndex row);
  void Operator(Kind kind, RowIndex row);
  void Comprehension(RowIndex row);

  // Runs `inside` with the statement as what encloses.
  template <typename Inside>
  void Within(RowIndex statement, Inside inside) {
    const RowIndex around = place_.statement;
    place_.statement = statement;
    inside();
    place_.statement = around;
  }

  const PythonGrammar& g_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_PYTHON_WALKER_H_
