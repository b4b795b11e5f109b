// A developer's clone with the two remotes of a fork, on this machine: `origin`, which is hers, and `upstream`.
#ifndef YARDMASTER_TESTS_SUPPORT_GIT_FORK_H_
#define YARDMASTER_TESTS_SUPPORT_GIT_FORK_H_

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "clients/git/git_program.h"
#include "tests/support/git_work.h"

namespace yardmaster::testing {

// The installed git in `tree`, as a command would start it, for what lies in the folder of `work`.
inline std::unique_ptr<GitProgram> GitProgramIn(const GitWork& work, const std::filesystem::path& tree) {
  return MakeGitProgram(
      tree,
      [home = work.Beside("home").string()](const char* name) -> std::string {
        const std::string_view wanted(name);
        if (wanted == "HOME") return home;
        if (wanted == "GIT_CONFIG_GLOBAL") return "/dev/null";
        const char* const path = std::getenv("PATH");
        return wanted == "PATH" && path != nullptr ? path : "";
      },
      std::chrono::minutes(2));
}

// From here on commits are to be signed with a new key of ssh, which `git verify-commit` knows.
inline void SignBySsh(const GitWork& work) {
  work.Shell(
      "ssh-keygen -q -t ed25519 -N '' -C '' -f ../key && (printf 'bob@example.com ' && cat ../key.pub) > ../signers");
  work.Git("config gpg.format ssh");
  work.Git("config user.signingKey " + work.Beside("key.pub").string());
  work.Git("config gpg.ssh.allowedSignersFile " + work.Beside("signers").string());
  work.Git("config commit.gpgSign true");
}

// Files *.bin go through a filter program, as those of Git LFS do.
inline void FilterBinaries(const GitWork& work) {
  work.Write(".gitattributes", "*.bin filter=rot\n");
  for (const std::string program : {"clean", "smudge"}) work.Git("config filter.rot." + program + " 'tr a-z n-za-m'");
}

class GitFork {
 public:
  // One commit on main, known to all three; `main` is checked out.
  GitFork() {
    work.Git("config user.name Bob");
    work.Git("config user.email bob@example.com");
    work.Write("a", "1\n");
    work.Write("b", "1\n2\n");
    work.Write("c", "1\n");
    work.Commit("base");
    for (const std::string name : {"origin", "upstream"}) {
      work.Git("init -q --bare -b main ../" + name + ".git");
      work.Git("remote add " + name + " " + work.Beside(name + ".git").string());
      work.Git("push -q " + name + " main");
    }
    git = GitIn(work.path());
  }

  // The installed git in a work tree, as a command would start it.
  std::unique_ptr<GitProgram> GitIn(const std::filesystem::path& tree) const { return GitProgramIn(work, tree); }

  // Somebody else commits "FILE" to a branch of a remote; the commit.
  std::string Elsewhere(const std::string& remote, const std::string& branch, const std::string& file) const {
    work.Shell("rm -rf ../other && git clone -q ../" + remote + ".git ../other && cd ../other && (git checkout -q " +
               branch + " 2>/dev/null || git checkout -q -b " + branch + ") && echo theirs > " + file +
               " && git add . && git commit -q -m theirs && git push -q origin " + branch);
    return work.Git("--git-dir=../" + remote + ".git rev-parse " + branch);
  }
  std::string There(const std::string& remote, const std::string& branch) const {
    return work.Git("--git-dir=../" + remote + ".git rev-parse " + branch);
  }
  // Refs but those that follow a remote, HEAD, index, files, stash and configuration, and the refs of both remotes.
  std::string Everything() const {
    return work.Git("for-each-ref refs/heads refs/tags refs/stash refs/yardmaster") + work.Git("ls-files -s") +
           work.Shell(
               "cat .git/HEAD .git/config; git stash list; git status --porcelain -uall; "
               "find . -path ./.git -prune -o -type f -exec sha256sum {} + | sort") +
           work.Git("--git-dir=../origin.git for-each-ref refs/heads refs/tags") +
           work.Git("--git-dir=../upstream.git for-each-ref refs/heads refs/tags");
  }
  std::string Objects() const {
    return work.Shell("find .git/objects .git/yardmaster -type f 2>/dev/null | sort; sha256sum .git/index");
  }

  const GitWork work;
  std::unique_ptr<GitProgram> git;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_GIT_FORK_H_
