// Commits that are made out of others: what is asked for, and what came of it.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_COMMITS_H_
#define YARDMASTER_CLIENTS_GIT_GIT_COMMITS_H_

#include <string>
#include <vector>

namespace yardmaster {

// The author is that of another commit.
struct GitNewCommit {
  std::string tree_of;  // the commit whose tree it has
  std::string parent;
  std::string author_of;
  std::string message;  // UTF-8
};

// A file in which two changes meet, and the lines in question, marked as git marks them. Empty where the file is not
// text, or is gone on one side.
struct GitConflict {
  std::string path;
  std::string hunks;
};

// Commits made once more on top of another one.
struct GitReplay {
  std::string tip;                     // the last new commit; where there is none, what it was to stand on
  std::vector<std::string> commits;    // new ones, oldest first
  std::vector<std::string> empty;      // commits of which nothing is left, since it is there already
  std::string stopped_at;              // the commit that does not fit; empty: all do
  std::vector<std::string> conflicts;  // paths in which it does not
  std::vector<GitConflict> hunks;      // of the first few of them
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_COMMITS_H_
