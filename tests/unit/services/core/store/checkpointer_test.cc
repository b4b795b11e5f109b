#include "services/core/store/checkpointer.h"

#include <gtest/gtest.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "services/core/store/dialect.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::store {
namespace {

// Calls `in_window` where a checkpoint has read the head of the log and not yet looked at the rest: SQLite then drops
// what it has mapped of the main file if somebody else changed the log. Every connection that is opened meanwhile is
// watched.
class CheckpointWindow {
 public:
  explicit CheckpointWindow(std::function<void()> in_window) {
    current_ = this;
    in_window_ = std::move(in_window);
    sqlite_api::sqlite3_auto_extension(reinterpret_cast<void (*)()>(Watch));
  }
  ~CheckpointWindow() {
    sqlite_api::sqlite3_reset_auto_extension();
    current_ = nullptr;
  }

  int entered() const { return entered_; }

 private:
  static int Watch(sqlite_api::sqlite3* db, char**, const sqlite_api::sqlite3_api_routines*) {
    sqlite_api::sqlite3_file* file = nullptr;
    sqlite_api::sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (file == nullptr || file->pMethods == nullptr || file->pMethods->xUnfetch == Unfetch) return SQLITE_OK;
    original_ = *file->pMethods;
    watched_ = original_;
    watched_.xUnfetch = Unfetch;
    file->pMethods = &watched_;
    return SQLITE_OK;
  }
  static int Unfetch(sqlite_api::sqlite3_file* file, sqlite_api::sqlite3_int64 offset, void* page) {
    if (current_ != nullptr && page == nullptr && offset == 0 && !current_->inside_) {
      current_->inside_ = true;
      ++current_->entered_;
      current_->in_window_();
      current_->inside_ = false;
    }
    return original_.xUnfetch(file, offset, page);
  }

  static inline CheckpointWindow* current_ = nullptr;
  static inline sqlite_api::sqlite3_io_methods original_{};
  static inline sqlite_api::sqlite3_io_methods watched_{};
  std::function<void()> in_window_;
  int entered_ = 0;
  bool inside_ = false;
};

class CheckpointerTest : public ::testing::Test {
 protected:
  CheckpointerTest()
      : window_([this] {
          if (commit_in_window_) Insert("window " + std::to_string(window_.entered()));
        }),
        writer_(Connect(file_, {ConnectionRole::kWriter})),
        checkpointer_(file_, *writer_, /*threaded=*/true) {
    *writer_ << "create table rows (name text primary key, filling blob)";
  }

  void Insert(const std::string& name) {
    *writer_ << "insert into rows (name) values (:name)", soci::use(name, "name");
  }
  // As a reader sees it who begins now.
  bool Has(const std::string& name) {
    const std::unique_ptr<soci::session> reader = Connect(file_, {ConnectionRole::kReader});
    int rows = 0;
    *reader << "select count(*) from rows where name = :name", soci::use(name, "name"), soci::into(rows);
    return rows == 1;
  }
  std::string Integrity() {
    std::string found;
    *writer_ << "pragma integrity_check", soci::into(found);
    return found;
  }

  testing::TempDir dir_;
  const std::filesystem::path file_ = dir_.path() / "test.db";
  bool commit_in_window_ = false;
  CheckpointWindow window_;
  std::unique_ptr<soci::session> writer_;
  Checkpointer checkpointer_;
};

TEST_F(CheckpointerTest, ACommitWhileACheckpointBeginsIsNotLost) {
  Insert("before");
  commit_in_window_ = true;
  ASSERT_TRUE(checkpointer_.RunNow().ok());
  EXPECT_EQ(window_.entered(), 1);
  EXPECT_TRUE(Has("before"));
  EXPECT_TRUE(Has("window 1"));
  EXPECT_EQ(Integrity(), "ok");
}

// SQLite before 3.51.3 loses the commits that begin a log anew while a checkpoint begins that found the log copied: it
// takes as many frames of the new log for copied as the old one had.
TEST_F(CheckpointerTest, NoCheckpointBeginsOnALogThatIsCopied) {
  // So much that the writer copies the rest of the log itself once most of it is copied.
  commit_in_window_ = true;
  *writer_ << "insert into rows (name, filling) values ('long', zeroblob(60000000))";
  ASSERT_TRUE(checkpointer_.RunNow().ok());
  ASSERT_EQ(window_.entered(), 1);
  checkpointer_.BetweenGroups();

  ASSERT_TRUE(checkpointer_.RunNow().ok());
  EXPECT_EQ(window_.entered(), 1);
  commit_in_window_ = false;
  for (const char* name : {"after", "later"}) {
    Insert(name);
    EXPECT_TRUE(Has(name)) << name;
  }
  ASSERT_TRUE(checkpointer_.RunNow().ok());
  EXPECT_TRUE(Has("long"));
  EXPECT_TRUE(Has("after"));
  EXPECT_EQ(Integrity(), "ok");
}

}  // namespace
}  // namespace yardmaster::store
