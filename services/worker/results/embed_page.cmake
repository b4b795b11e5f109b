# Writes a C++ file with the text of the page: cmake -DOUTPUT=… -DPAGE=… -P embed_page.cmake. The programs need no file then.
file(READ ${PAGE} text)
file(WRITE ${OUTPUT} "// Generated from services/worker/results/report.html.
#include \"services/worker/results/report_page.h\"

namespace yardmaster::worker {

std::string_view ReportPage() { return R\"yardmaster(${text})yardmaster\"; }

}  // namespace yardmaster::worker
")
