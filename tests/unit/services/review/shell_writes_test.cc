#include "services/review/shell_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ShellWrites, RedirectionsWriteTheirTarget) {
  EXPECT_THAT(ShellWrites("echo x > demo_impl.py"), ElementsAre("demo_impl.py"));
  EXPECT_THAT(ShellWrites("echo x>>demo_impl.py 2>&1"), ElementsAre("demo_impl.py"));
  EXPECT_THAT(ShellWrites("make &> 'build log.txt'"), ElementsAre("build log.txt"));
  EXPECT_THAT(ShellWrites("a >| b; c 2> d"), ElementsAre("b", "d"));
  EXPECT_THAT(ShellWrites("sort < in.txt > out.txt"), ElementsAre("out.txt"));
  EXPECT_THAT(ShellWrites("python3 test_demo.py 2>&1 | grep x"), IsEmpty());
  EXPECT_THAT(ShellWrites("echo 'a > b' \"c > d\" e\\>f # > g"), IsEmpty());
  EXPECT_THAT(ShellWrites("[ 3 -gt 2 ] && echo x>\"$OUT/f.py\""), ElementsAre("$OUT/f.py"));
}

TEST(ShellWrites, TextsOfHereDocumentsAreNoCommands) {
  EXPECT_THAT(ShellWrites("cat <<'EOF' > demo_impl.py\nrm other_impl.py\nx > y\nEOF\nrm last_impl.py"),
              ElementsAre("demo_impl.py", "last_impl.py"));
  EXPECT_THAT(ShellWrites("cat > demo_impl.py <<-EOF\n\tx > y\n\tEOF\n"), ElementsAre("demo_impl.py"));
  EXPECT_THAT(ShellWrites("cat <<< 'x > y'"), IsEmpty());
}

TEST(ShellWrites, CommandsThatCopyMoveOrRemove) {
  EXPECT_THAT(ShellWrites("echo x | tee -a demo_impl.py log.txt"), ElementsAre("demo_impl.py", "log.txt"));
  EXPECT_THAT(ShellWrites("cp /tmp/x.py custom/demo/demo_impl.py"), Contains("custom/demo/demo_impl.py"));
  EXPECT_THAT(ShellWrites("cp -t custom/demo /tmp/demo_impl.py"), ElementsAre("custom/demo/demo_impl.py"));
  EXPECT_THAT(ShellWrites("cp /tmp/demo_impl.py custom/demo/"), Contains("custom/demo/demo_impl.py"));
  EXPECT_THAT(ShellWrites("cp demo_impl.py /tmp/"), Not(Contains("demo_impl.py")));
  EXPECT_THAT(ShellWrites("mv demo_impl.py old.py"), Contains("demo_impl.py"));
  EXPECT_THAT(ShellWrites("rm -rf -- demo_impl.py"), ElementsAre("demo_impl.py"));
  EXPECT_THAT(ShellWrites("dd if=/dev/zero of=demo_impl.py"), ElementsAre("demo_impl.py"));
  EXPECT_THAT(ShellWrites("git checkout HEAD -- demo_impl.py"), Contains("demo_impl.py"));
}

TEST(ShellWrites, SedWritesOnlyInPlace) {
  EXPECT_THAT(ShellWrites("sed -i 's/a/b/' demo_impl.py"), Contains("demo_impl.py"));
  EXPECT_THAT(ShellWrites("sed --in-place=.bak -e s/a/b/ demo_impl.py"), ElementsAre("demo_impl.py"));
  EXPECT_THAT(ShellWrites("sed -n '1,20p' demo_impl.py"), IsEmpty());
  EXPECT_THAT(ShellWrites("perl -pi -e 's/a/b/' demo_impl.py"), Contains("demo_impl.py"));
}

TEST(ShellWrites, ProgramsOnTheCommandLine) {
  EXPECT_THAT(ShellWrites("python3 -c \"open('demo_impl.py', 'w').write('x')\""), Contains("demo_impl.py"));
  EXPECT_THAT(ShellWrites("python3 -c \"from pathlib import Path; Path('demo_impl.py').write_text('x')\""),
              Contains("demo_impl.py"));
  EXPECT_THAT(ShellWrites("python3 -c \"print(open('demo_impl.py').read())\""), IsEmpty());
  EXPECT_THAT(ShellWrites("python3 test_demo.py"), IsEmpty());
}

TEST(ShellWrites, CommandsWithinCommands) {
  EXPECT_THAT(ShellWrites("bash -lc 'echo x > demo_impl.py'"), ElementsAre("demo_impl.py"));
  EXPECT_THAT(ShellWrites("sudo env A=1 tee demo_impl.py"), ElementsAre("demo_impl.py"));
  EXPECT_THAT(ShellWrites("x=$(rm a_impl.py); (rm b_impl.py) && { rm c_impl.py; }"),
              ::testing::UnorderedElementsAre("a_impl.py", "b_impl.py", "c_impl.py"));
  EXPECT_THAT(ShellWrites("for f in 1 2; do rm d_impl.py; done"), ElementsAre("d_impl.py"));
  EXPECT_THAT(ShellWrites("ls | xargs -n 1 rm e_impl.py"), Contains("e_impl.py"));
}

TEST(ShellWrites, HostileCommandsEnd) {
  EXPECT_THAT(ShellWrites(""), IsEmpty());
  for (const char* text : {"'", "\"", "`", "$(", "<<", "<<EOF", ">", "a >", "\\", "bash -c", "cp", "mv a", "sed -i"}) {
    ShellWrites(text);
  }
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "$(";
  ShellWrites(deep);
  ShellWrites(std::string(1'000'000, '>'));
}

}  // namespace
}  // namespace yardmaster
