#include "services/review/import/finding_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/core/readable.h"
#include "services/review/import/repository_path.h"
#include "tests/unit/services/review/import/read_findings.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Imported;
using testing::LeftOutOf;
using ::testing::SizeIs;
using testing::Told;

TEST(FindingImport, FormatsHaveNames) {
  EXPECT_EQ(ImportFormatFromName("sarif"), ImportFormat::kSarif);
  EXPECT_EQ(ImportFormatFromName("checkstyle"), ImportFormat::kCheckstyle);
  EXPECT_EQ(ImportFormatFromName("github"), ImportFormat::kGithub);
  EXPECT_EQ(ImportFormatFromName("lines"), ImportFormat::kLines);
  EXPECT_EQ(ImportFormatFromName(""), ImportFormat::kAuto);
  EXPECT_EQ(ImportFormatFromName("xml"), std::nullopt);
}

TEST(FindingImport, ANamedFormatIsNotGuessed) {
  EXPECT_THAT(Told(Imported("::error file=a.py,line=1::b.py:1:1: x\n", ImportFormat::kLines)), SizeIs(1));
  EXPECT_FALSE(ReadFindings("a.py:1:1: error: x", ImportFormat::kSarif, {}).ok());
}

TEST(FindingImport, ErrorsBlockOnlyWhereAsked) {
  const char* const text = "a.c:1:1: error: x\na.c:2:1: warning: y\n";
  EXPECT_THAT(Told(Imported(text, ImportFormat::kAuto, {.tool = "cc", .errors_block = true})),
              ElementsAre("a.c:1:1-1:1 block cc/unnamed x", "a.c:2:1-2:1 minor cc/unnamed y"));
  const ImportedFindings imported = Imported(text);
  EXPECT_EQ(imported.findings[0].severity, rules::Severity::kMajor);
  EXPECT_EQ(imported.findings[0].pack_severity, "error");
  EXPECT_EQ(imported.findings[0].fingerprint, "");
}

TEST(FindingImport, LimitsAreTold) {
  EXPECT_THAT(
      std::string(ReadFindings(std::string(kMaxImportBytes + 1, ' '), ImportFormat::kAuto, {}).status().message()),
      HasSubstr("over its limit"));
  std::string many;
  for (size_t i = 0; i < kMaxImportedFindings + 2; ++i) many += absl::StrCat("a.c:", i + 1, ":1: error: x\n");
  const ImportedFindings imported = Imported(many);
  EXPECT_THAT(imported.findings, SizeIs(kMaxImportedFindings));
  EXPECT_THAT(LeftOutOf(imported), ElementsAre("2 more than 25000 findings, the limit of one import: a.c"));
}

TEST(FindingImport, TextsBecomeOneValidLine) {
  const ImportedFindings imported =
      Imported("a.c:1:1: error: \x1b[31mbad\xff\tthing\n", ImportFormat::kAuto, {.tool = "My Tool/\xc3\xbc"});
  ASSERT_THAT(imported.findings, SizeIs(1));
  EXPECT_EQ(imported.findings[0].message, " [31mbad\xEF\xBF\xBD thing");
  EXPECT_EQ(imported.findings[0].pack, "my-tool---");
  const ImportedFindings wide = Imported("a.c:1:1: error: " + std::string(10'000, 'x'));
  EXPECT_LE(wide.findings[0].message.size(), kMaxImportedMessageBytes);
}

TEST(FindingImport, CredentialsInWhatAToolSaysAreTakenOut) {
  const std::string key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  const ImportedFindings imported =
      Imported("a.c:1:1: error: clone with " + key + " failed\nno place for " + key + "\n");
  ASSERT_THAT(imported.findings, SizeIs(1));
  EXPECT_EQ(imported.findings[0].message, "clone with [redacted] failed");
  EXPECT_THAT(LeftOutOf(imported), ElementsAre("1 the line is in no known format: no place for [redacted]"));
}

TEST(RepositoryPath, IsRelativeToTheRoot) {
  EXPECT_EQ(RepositoryPath("./a//b/./c.py", ""), "a/b/c.py");
  EXPECT_EQ(RepositoryPath("a/../b.py", ""), "b.py");
  EXPECT_EQ(RepositoryPath("/ci/repo/a.py", "/ci/repo"), "a.py");
  EXPECT_EQ(RepositoryPath("/ci/x/../repo/a.py", "/ci/repo/"), "a.py");
  EXPECT_EQ(RepositoryPath("/a.py", "/"), "a.py");
  EXPECT_EQ(RepositoryPath("..a/b..", ""), "..a/b..");
}

TEST(RepositoryPath, NeverLeavesTheRepository) {
  EXPECT_EQ(RepositoryPath("", ""), std::nullopt);
  EXPECT_EQ(RepositoryPath(".", ""), std::nullopt);
  EXPECT_EQ(RepositoryPath("../a.py", ""), std::nullopt);
  EXPECT_EQ(RepositoryPath("a/../../b.py", ""), std::nullopt);
  EXPECT_EQ(RepositoryPath("/etc/passwd", ""), std::nullopt);
  EXPECT_EQ(RepositoryPath("/ci/repository/a.py", "/ci/repo"), std::nullopt);
  EXPECT_EQ(RepositoryPath("/ci/repo/../a.py", "/ci/repo"), std::nullopt);
  EXPECT_EQ(RepositoryPath("/ci/repo", "/ci/repo"), std::nullopt);
  EXPECT_EQ(RepositoryPath("a\nb", ""), std::nullopt);
  EXPECT_EQ(RepositoryPath("a\xff", ""), std::nullopt);
  EXPECT_EQ(RepositoryPath(std::string(5000, 'a'), ""), std::nullopt);
}

}  // namespace
}  // namespace yardmaster
