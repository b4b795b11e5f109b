#include "services/worker/launch/python_hook.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace yardmaster::worker {
namespace {

// Only modules that any interpreter has loaded anyway or has built in: it runs before every program. The number of the
// file is high, where no program expects one of its own; children that are forked share it, and others don't get it.
// Its own folder leaves the search path, and then its name stands for the next sitecustomize.
constexpr const char* kHook = R"(import sys


def _register():
    try:
        import faulthandler
        import fcntl
        import os

        name = "%s/%d.%s" % (STACKS, os.getpid(), os.urandom(8).hex())
        low = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            file = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 500)
            os.close(low)
        except OSError:
            file = low
        faulthandler.register(SIGNAL, file=file, all_threads=True)
    except Exception:
        pass


_register()
_folder = __file__.rpartition("/")[0]
sys.path[:] = [entry for entry in sys.path if entry != _folder]
_this = sys.modules.pop("sitecustomize")
import sitecustomize
)";

// As Python reads it between quotes.
std::string PythonQuoted(std::string_view text) {
  return absl::StrCat("\"", absl::StrReplaceAll({text.data(), text.size()}, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

}  // namespace

std::string PythonHook(const std::filesystem::path& stacks) {
  return absl::StrCat("STACKS = ", PythonQuoted(stacks.native()), "\nSIGNAL = ", kStackSignal, "\n", kHook);
}

}  // namespace yardmaster::worker
