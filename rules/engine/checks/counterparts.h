// What a named piece of a file was before a change, and what became of it: functions, parameters, classes, imports,
// sections and entries of two versions, paired.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_COUNTERPARTS_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_COUNTERPARTS_H_

#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rules/engine/checks/unit.h"
#include "rules/engine/checks/value.h"

namespace yardmaster::rules {

// Belongs to one run. Pairs of a table are made when they are first asked for.
class Counterparts {
 public:
  // Files that have a base are of a change; a file without change and base is the same on both sides.
  explicit Counterparts(const std::vector<std::unique_ptr<Unit>>& units) : units_(units) {}

  static bool Has(FactTable table);

  // The row at base that a row of head was; no row: it is new, or the row is of base. Functions and classes are also
  // looked for in the other files of the change: then they were moved.
  RowRef FormerOf(const RowRef& row);
  // The row at head that a row of base became; no row: it is gone, or the row is of head.
  RowRef LaterOf(const RowRef& row);
  // Of a row of head "added", "moved", "renamed" (parameters), "changed" or "same-as-base"; of a row of base "removed"
  // or one of the same. Empty in a review that compares nothing.
  std::string_view ChangeOf(const RowRef& row);

 private:
  using Pairs = absl::flat_hash_map<std::pair<const Unit*, RowIndex>, RowRef>;
  struct Table {
    Pairs former;
    Pairs later;
  };

  std::string_view FindChange(const RowRef& row);
  Table& TableOf(FactTable table);
  void PairWithinFile(FactTable table, const Unit& head, const Unit& base, Table& pairs) const;
  void PairMoved(FactTable table, Table& pairs) const;
  RowRef ParameterIn(const RowRef& function, const RowRef& parameter);

  const std::vector<std::unique_ptr<Unit>>& units_;
  std::map<FactTable, Table> tables_;
  // What ChangeOf said: many checks ask the same.
  absl::flat_hash_map<std::tuple<const Unit*, FactTable, RowIndex>, std::string_view> changes_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_COUNTERPARTS_H_
