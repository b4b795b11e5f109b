#include "rules/engine/code/python_reader.h"

#include "rules/engine/code/python_walker.h"

namespace yardmaster::rules {

void ReadPython(TSNode root, RowIndex block, FileFacts& facts) { PythonReader(root, block, facts).Read(); }

}  // namespace yardmaster::rules
