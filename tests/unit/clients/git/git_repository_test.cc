#include "clients/git/git_repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/git_work.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::GitWork;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kManyFiles = 1'000;

std::unique_ptr<GitRepository> Open(const fs::path& path) {
  auto repository = GitRepository::Open(path);
  EXPECT_TRUE(repository.ok()) << repository.status();
  return repository.ok() ? *std::move(repository) : nullptr;
}

template <typename T>
T Must(absl::StatusOr<T> value) {
  if (!value.ok()) throw std::runtime_error(value.status().ToString());
  return *std::move(value);
}

std::vector<std::string> Paths(GitTree& tree) {
  std::vector<std::string> paths;
  for (const GitTreeEntry& entry : *Must(tree.Entries())) paths.push_back(entry.path);
  return paths;
}

// "A new", "D old", "M file", "R old new", "C old new"; "*" behind a binary one.
std::vector<std::string> Lines(const std::vector<GitChangedFile>& files) {
  std::vector<std::string> lines;
  for (const GitChangedFile& file : files) {
    std::string& line = lines.emplace_back(1, "ADMRC"[static_cast<size_t>(file.change)]);
    if (file.change != GitChangedFile::Change::kAdded && file.base.path != file.head.path) line += " " + file.base.path;
    if (file.head.mode != 0) line += " " + file.head.path;
    if (file.binary) line += "*";
  }
  return lines;
}

std::string Numbered(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "line number " + std::to_string(i) + "\n";
  return text;
}

class GitRepositoryTest : public ::testing::Test {
 protected:
  std::vector<GitChangedFile> Between(const std::string& base, const std::string& head, size_t max = kManyFiles) {
    const auto repository = Open(work_.path());
    const auto old_tree = Must(repository->TreeOf(base));
    const auto new_tree = Must(repository->TreeOf(head));
    return Must(repository->Diff(*old_tree, *new_tree, max));
  }
  // HEAD against what is about to be committed.
  std::vector<std::string> Staged() {
    return Against([](GitRepository& r) { return r.IndexTree(); });
  }
  std::vector<std::string> Unstaged() {
    return Against([](GitRepository& r) { return r.WorkTree(); });
  }
  template <typename Head>
  std::vector<std::string> Against(Head head) {
    const auto repository = Open(work_.path());
    const auto base = Must(repository->TreeOf(Must(repository->Resolve("HEAD"))));
    const auto tree = Must(head(*repository));
    return Lines(Must(repository->Diff(*base, *tree, kManyFiles)));
  }

  GitWork work_;
};

TEST_F(GitRepositoryTest, IsFoundFromAnyOfItsPlaces) {
  work_.Write("a/b/c.py", "x\n");
  const std::string commit = work_.Commit();
  work_.Git("clone -q --bare . ../bare.git");
  work_.Git("worktree add -q ../linked");
  for (const fs::path& path :
       {work_.path(), work_.path() / "a/b", work_.path() / ".git", work_.Beside("bare.git"), work_.Beside("linked")}) {
    const auto repository = Open(path);
    ASSERT_NE(repository, nullptr) << path;
    EXPECT_EQ(Must(repository->Resolve("HEAD")), commit) << path;
    EXPECT_THAT(Paths(*Must(repository->TreeOf(commit))), ElementsAre("a/b/c.py"));
  }
  EXPECT_EQ(Open(work_.path() / "a")->work_tree(), work_.path().string() + "/");
  EXPECT_EQ(Open(work_.Beside("linked"))->work_tree(), work_.Beside("linked").string() + "/");
  const auto bare = Open(work_.Beside("bare.git"));
  EXPECT_EQ(bare->work_tree(), "");
  EXPECT_EQ(bare->IndexTree().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(bare->WorkTree().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(GitRepository::Open(work_.Beside("nowhere")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(GitRepository::Open("/").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(GitRepositoryTest, RevisionsNameCommits) {
  work_.Write("a", "1\n");
  const std::string first = work_.Commit();
  work_.Git("tag -a -m v v1.0");
  const std::string second = work_.Commit();
  const auto repository = Open(work_.path());
  EXPECT_EQ(Must(repository->Resolve("v1.0")), first);
  EXPECT_EQ(Must(repository->Resolve("HEAD~1")), first);
  EXPECT_EQ(Must(repository->Resolve(second.substr(0, 8))), second);
  EXPECT_EQ(Must(repository->Resolve("main")), second);
  EXPECT_EQ(repository->Resolve("absent").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(repository->Resolve("HEAD~5").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(repository->Resolve("HEAD:a").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(repository->TreeOf(std::string(40, 'a')).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(GitRepositoryTest, AMergeBaseAndTheCommitsSince) {
  const std::string base = work_.Commit("base");
  work_.Git("checkout -q -b topic");
  const std::string first = work_.Commit("first");
  const std::string second = work_.Commit("second");
  work_.Git("checkout -q main");
  const std::string other = work_.Commit("other");
  work_.Git("checkout -q --orphan alone");
  const std::string alone = work_.Commit("alone");
  const auto repository = Open(work_.path());
  EXPECT_EQ(Must(repository->MergeBase(other, second)), base);
  EXPECT_EQ(Must(repository->MergeBase(base, second)), base);
  EXPECT_EQ(repository->MergeBase(alone, second).status().code(), absl::StatusCode::kNotFound);
  const std::vector<GitCommit> commits = Must(repository->Commits(other, second, 10));
  ASSERT_EQ(commits.size(), 2u);
  EXPECT_EQ(commits[0].id, first);
  EXPECT_EQ(commits[1].id, second);
  EXPECT_EQ(commits[1].message, "second\n");
  EXPECT_EQ(commits[1].author_name, "Ann");
  EXPECT_EQ(commits[1].author_email, "ann@example.com");
  EXPECT_THAT(commits[1].parents, ElementsAre(first));
  EXPECT_EQ(Must(repository->Commits(other, second, 1)).at(0).id, second);
  EXPECT_THAT(Must(repository->Commits(second, first, 10)), IsEmpty());
}

TEST_F(GitRepositoryTest, TheTreeOfACommitHasItsFiles) {
  work_.Write("b/x.py", "x = 1\n");
  work_.Write("b.py", "y = 1\n");
  work_.Write("run.sh", "true\n");
  fs::permissions(work_.path() / "run.sh", fs::perms::owner_all);
  fs::create_symlink("b/x.py", work_.path() / "link");
  const std::string commit = work_.Commit();
  const auto repository = Open(work_.path());
  const auto tree = Must(repository->TreeOf(commit));
  EXPECT_THAT(Paths(*tree), ElementsAre("b.py", "b/x.py", "link", "run.sh"));
  const GitTreeEntry file = Must(tree->Find("b/x.py"));
  EXPECT_EQ(file.mode, kGitFileMode);
  EXPECT_EQ(file.object, work_.Git("rev-parse HEAD:b/x.py"));
  EXPECT_EQ(Must(tree->Read(file, 100)), "x = 1\n");
  EXPECT_EQ(Must(tree->Read(file, 3)), "x =");
  EXPECT_EQ(Must(tree->Read(Must(tree->Find("link")), 100)), "b/x.py");
  EXPECT_EQ(Must(tree->Find("link")).mode, kGitLinkMode);
  EXPECT_EQ(Must(tree->Find("run.sh")).mode, kGitExecutableMode);
  for (const char* absent : {"", "b", "absent", "b/absent", "absent/x.py", "b.py/x"}) {
    EXPECT_EQ(Must(tree->Find(absent)).mode, 0u) << absent;
  }
  const auto empty = repository->EmptyTree();
  EXPECT_THAT(Paths(*empty), IsEmpty());
  EXPECT_EQ(Must(empty->Find("b.py")).mode, 0u);
  EXPECT_THAT(Lines(Must(repository->Diff(*empty, *tree, kManyFiles))),
              ElementsAre("A b.py", "A b/x.py", "A link", "A run.sh"));
}

TEST_F(GitRepositoryTest, WhatLiesBetweenTwoCommits) {
  work_.Write("moved.py", Numbered(0, 50));
  work_.Write("copied.py", Numbered(100, 150));
  work_.Write("edited.py", "1\n");
  work_.Write("gone.py", "unlike anything else here\n");
  work_.Write("script.sh", "true\n");
  work_.Write("was_file", Numbered(200, 210));
  work_.Write("image.png", std::string("\x89PNG\0\1", 6));
  work_.Write("untouched/file.py", "same\n");
  const std::string base = work_.Commit();
  work_.Shell("git mv moved.py new_name.py && rm gone.py was_file && chmod +x script.sh && ln -s edited.py was_file");
  work_.Write("new_name.py", Numbered(1, 51));
  work_.Write("copy.py", Numbered(100, 150));
  work_.Write("copied.py", Numbered(100, 151));
  work_.Write("edited.py", "2\n");
  work_.Write("image.png", std::string("\x89PNG\0\2", 6));
  const std::string head = work_.Commit();
  const std::vector<GitChangedFile> files = Between(base, head);
  EXPECT_THAT(Lines(files), ElementsAre("M copied.py", "C copied.py copy.py", "M edited.py", "D gone.py",
                                        "M image.png*", "R moved.py new_name.py", "M script.sh", "M was_file"));
  EXPECT_EQ(files[6].base.mode, kGitFileMode);
  EXPECT_EQ(files[6].head.mode, kGitExecutableMode);
  EXPECT_EQ(files[7].base.mode, kGitFileMode);
  EXPECT_EQ(files[7].head.mode, kGitLinkMode);
  EXPECT_EQ(files[3].head.mode, 0u);
  EXPECT_EQ(files[5].base.object, work_.Git("rev-parse HEAD~1:moved.py"));
  EXPECT_EQ(files[5].head.object, work_.Git("rev-parse HEAD:new_name.py"));
  // Beyond the limit nothing is compared for likeness.
  EXPECT_THAT(Lines(Between(base, head, 3)), ::testing::IsSupersetOf({"A copy.py", "D moved.py", "A new_name.py"}));
  EXPECT_THAT(Between(head, head), IsEmpty());
}

TEST_F(GitRepositoryTest, ASubmoduleIsACommitWithoutContent) {
  work_.Write("a", "1\n");
  const std::string base = work_.Commit();
  work_.Git("update-index --add --cacheinfo 160000," + base + ",lib");
  work_.Git("commit -q -m sub");
  const auto files = Between(base, work_.Git("rev-parse HEAD"));
  ASSERT_THAT(Lines(files), ElementsAre("A lib"));
  EXPECT_EQ(files[0].head.mode, kGitSubmoduleMode);
  EXPECT_EQ(files[0].head.object, base);
  const auto repository = Open(work_.path());
  EXPECT_EQ(Must(Must(repository->TreeOf(work_.Git("rev-parse HEAD")))->Read(files[0].head, 10)), "");
  EXPECT_THAT(Unstaged(), IsEmpty());
}

TEST_F(GitRepositoryTest, StagedIsWhatWouldBeCommitted) {
  work_.Write("a.py", "1\n");
  work_.Write("b.py", "unlike\n");
  work_.Commit();
  work_.Write("a.py", "2\n");
  work_.Git("add a.py");
  work_.Write("a.py", "3\n");
  work_.Git("rm -q --cached b.py");
  work_.Write("intended.py", "text\n");
  work_.Git("add --intent-to-add intended.py");
  work_.Write("untracked.py", "other text\n");
  EXPECT_THAT(Staged(), ElementsAre("M a.py", "D b.py"));
  const auto repository = Open(work_.path());
  const auto tree = Must(repository->IndexTree());
  EXPECT_EQ(Must(tree->Read(Must(tree->Find("a.py")), 10)), "2\n");
  // The file that was taken out of the index only is as it was.
  EXPECT_THAT(Unstaged(), ElementsAre("M a.py", "A intended.py", "A untracked.py"));
}

TEST_F(GitRepositoryTest, TheWorkTreeIsWhatLiesThere) {
  work_.Write("same.py", "same\n");
  work_.Write("edited.py", "1\n");
  work_.Write("reverted.py", "1\n");
  work_.Write("gone.py", "unlike\n");
  work_.Write("moved.py", Numbered(0, 50));
  work_.Write("linked.py", Numbered(60, 70));
  work_.Write(".gitignore", "*.o\n");
  work_.Commit();
  work_.Write("edited.py", "2\n");
  work_.Write("reverted.py", "2\n");
  work_.Git("add reverted.py");
  work_.Write("reverted.py", "1\n");
  work_.Shell("rm gone.py linked.py && ln -s same.py linked.py && mv moved.py elsewhere.py && mkdir -p sub nested");
  work_.Write("sub/new.py", "new\n");
  work_.Write("sub/out.o", "object\n");
  work_.Git("init -q nested");
  work_.Write("nested/inner.py", "of another repository\n");
  EXPECT_THAT(Unstaged(),
              ElementsAre("M edited.py", "R moved.py elsewhere.py", "D gone.py", "M linked.py", "A sub/new.py"));
  const auto repository = Open(work_.path());
  const auto tree = Must(repository->WorkTree());
  EXPECT_THAT(Paths(*tree), ElementsAre(".gitignore", "edited.py", "elsewhere.py", "linked.py", "reverted.py",
                                        "same.py", "sub/new.py"));
  EXPECT_EQ(Must(tree->Read(Must(tree->Find("sub/new.py")), 10)), "new\n");
  EXPECT_EQ(Must(tree->Find("sub/new.py")).object, work_.Git("hash-object sub/new.py"));
  // Nothing was written: git knows no object of what lies there.
  EXPECT_THROW(work_.Git("cat-file -e " + Must(tree->Find("sub/new.py")).object), std::runtime_error);
}

TEST_F(GitRepositoryTest, ALargeFileOfTheWorkTreeIsReadFromThere) {
  work_.Commit();
  std::string text;
  text.resize(9'000'000, 'x');
  work_.Write("large.txt", text);
  EXPECT_THAT(Unstaged(), ElementsAre("A large.txt"));
  const auto repository = Open(work_.path());
  const auto tree = Must(repository->WorkTree());
  EXPECT_EQ(Must(tree->Read(Must(tree->Find("large.txt")), 10)), std::string(10, 'x'));
  EXPECT_EQ(Must(tree->Read(Must(tree->Find("large.txt")), 10'000'000)), text);
  EXPECT_EQ(Must(tree->Find("large.txt")).object, work_.Git("hash-object large.txt"));
}

TEST_F(GitRepositoryTest, BeforeTheFirstCommitEverythingIsNew) {
  work_.Write("a.py", "1\n");
  work_.Git("add a.py");
  work_.Write("b.py", "2\n");
  const auto repository = Open(work_.path());
  EXPECT_EQ(repository->Resolve("HEAD").status().code(), absl::StatusCode::kNotFound);
  const auto empty = repository->EmptyTree();
  const auto index = Must(repository->IndexTree());
  const auto files = Must(repository->WorkTree());
  EXPECT_THAT(Lines(Must(repository->Diff(*empty, *index, kManyFiles))), ElementsAre("A a.py"));
  EXPECT_THAT(Lines(Must(repository->Diff(*empty, *files, kManyFiles))), ElementsAre("A a.py", "A b.py"));
  EXPECT_THAT(Lines(Must(repository->Diff(*index, *files, kManyFiles))), ElementsAre("A b.py"));
}

TEST_F(GitRepositoryTest, AnEmptyRepositoryHasNothing) {
  const auto repository = Open(work_.path());
  EXPECT_THAT(Paths(*Must(repository->IndexTree())), IsEmpty());
  EXPECT_THAT(Paths(*Must(repository->WorkTree())), IsEmpty());
  EXPECT_EQ(repository->Resolve("main").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(GitRepositoryTest, OpenConflictsAreSaid) {
  work_.Write("a.py", "1\n");
  work_.Commit();
  work_.Git("checkout -q -b topic");
  work_.Write("a.py", "2\n");
  work_.Commit();
  work_.Git("checkout -q main");
  work_.Write("a.py", "3\n");
  work_.Commit();
  work_.Shell("git merge -q topic >/dev/null || true");
  const absl::Status status = Open(work_.path())->IndexTree().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("\"a.py\" has merge conflicts"));
}

TEST_F(GitRepositoryTest, ASparseCheckoutDeletesNothing) {
  work_.Write("in/a.py", "1\n");
  work_.Write("out/b.py", "2\n");
  work_.Commit();
  work_.Git("sparse-checkout set --no-sparse-index in");
  ASSERT_FALSE(fs::exists(work_.path() / "out"));
  EXPECT_THAT(Staged(), IsEmpty());
  EXPECT_THAT(Unstaged(), IsEmpty());
  work_.Write("in/a.py", "3\n");
  EXPECT_THAT(Unstaged(), ElementsAre("M in/a.py"));
}

TEST_F(GitRepositoryTest, ASparseIndexIsRefusedWithTheWayOut) {
  work_.Write("in/a.py", "1\n");
  work_.Write("out/b.py", "2\n");
  work_.Commit();
  work_.Git("sparse-checkout set --cone --sparse-index in");
  const absl::Status status = Open(work_.path())->IndexTree().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--no-sparse-index"));
}

TEST_F(GitRepositoryTest, AShallowCloneSaysWhereItsHistoryEnds) {
  work_.Commit("root");
  work_.Git("checkout -q -b topic");
  work_.Commit("topic 1");
  const std::string topic = work_.Commit("topic 2");
  work_.Git("checkout -q main");
  work_.Commit("main 1");
  const std::string main = work_.Commit("main 2");
  work_.Git("clone -q --depth 1 --no-single-branch file://" + work_.path().string() + " ../shallow");
  const auto repository = Open(work_.Beside("shallow"));
  for (const absl::Status& status :
       {repository->MergeBase(main, topic).status(), repository->Commits(main, topic, 10).status(),
        repository->Resolve("HEAD~1").status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("shallow"));
  }
  const auto base = Must(repository->TreeOf(main));
  const auto head = Must(repository->TreeOf(topic));
  EXPECT_THAT(Must(repository->Diff(*base, *head, kManyFiles)), IsEmpty());
}

TEST_F(GitRepositoryTest, APartialCloneIsReadAsFarAsItGoes) {
  work_.Write("a.py", "1\n");
  const std::string first = work_.Commit();
  work_.Write("a.py", "2\n");
  const std::string second = work_.Commit();
  work_.Git("config uploadpack.allowFilter true");
  work_.Git("clone -q --filter=blob:none file://" + work_.path().string() + " ../partial");
  const auto repository = Open(work_.Beside("partial"));
  const auto base = Must(repository->TreeOf(first));
  const auto head = Must(repository->TreeOf(second));
  EXPECT_EQ(Must(head->Read(Must(head->Find("a.py")), 10)), "2\n");
  const absl::Status status = base->Read(Must(base->Find("a.py")), 10).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("lacks the object"));
}

TEST_F(GitRepositoryTest, NothingThatTheRepositoryNamesIsRun) {
  const std::string marker = work_.Beside("marker").string();
  const std::string script = work_.Beside("evil.sh").string();
  std::ofstream(script) << "#!/bin/sh\ntouch " << marker << "\ncat\n";
  fs::permissions(script, fs::perms::owner_all);
  work_.Write("a.py", "1\n");
  work_.Commit();
  work_.Write(".gitattributes", "*.py filter=evil diff=evil merge=evil\n");
  const std::string head = work_.Commit();
  work_.Write("a.py", "2\n");
  work_.Write("b.py", "3\n");
  std::ofstream(work_.path() / ".git/config", std::ios::app)
      << "[core]\n fsmonitor = " << script << "\n hooksPath = " << work_.Beside("").string() << "\n pager = " << script
      << "\n sshCommand = " << script << "\n[filter \"evil\"]\n clean = " << script << "\n smudge = " << script
      << "\n process = " << script << "\n required = true\n[diff]\n external = " << script
      << "\n[diff \"evil\"]\n textconv = " << script << "\n command = " << script << "\n[alias]\n status = !" << script
      << "\n[gpg]\n program = " << script << "\n";
  for (const char* hook : {"post-index-change", "pre-commit", "post-checkout", "reference-transaction"}) {
    fs::copy_file(script, work_.path() / ".git/hooks" / hook);
  }
  EXPECT_THAT(Staged(), IsEmpty());
  EXPECT_THAT(Unstaged(), ElementsAre("M a.py", "A b.py"));
  EXPECT_THAT(Lines(Between(Must(Open(work_.path())->Resolve("HEAD~1")), head)), ElementsAre("A .gitattributes"));
  EXPECT_FALSE(fs::exists(marker));
}

TEST_F(GitRepositoryTest, ARepositoryOfAnotherUserIsRefusedWithTheWayOut) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  work_.Commit();
  work_.Shell("chown -R 12345 .");
  const absl::Status status = GitRepository::Open(work_.path()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("git config --global --add safe.directory"));
}

TEST_F(GitRepositoryTest, ATreeThatNamesItselfManyTimesIsRefused) {
  // Each tree has ten times the one before: 10^12 files of one blob.
  const std::string head = work_.Shell(
      "id=$(echo x | git hash-object -w --stdin); entry=\"100644 blob $id\"; for level in 1 2 3 4 5 6 7 8 9 10 11 12; "
      "do "
      "tree=$(for i in 0 1 2 3 4 5 6 7 8 9; do printf '%s\\t%s\\n' \"$entry\" $i; done | git mktree); "
      "entry=\"040000 tree $tree\"; done; git commit-tree -m bomb $tree");
  const auto repository = Open(work_.path());
  const auto tree = Must(repository->TreeOf(head));
  EXPECT_EQ(tree->Entries().status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(repository->Diff(*repository->EmptyTree(), *tree, kManyFiles).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Must(tree->Find("0/1/2/3/4/5/6/7/8/9/0/1")).mode, kGitFileMode);
}

}  // namespace
}  // namespace yardmaster
