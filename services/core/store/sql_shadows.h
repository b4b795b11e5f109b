// Shadows on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_SHADOWS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_SHADOWS_H_

#include <functional>
#include <string>

#include "services/core/store/reader_pool.h"
#include "services/core/store/shadows.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

class SqlShadows final : public Shadows {
 public:
  // Both must outlive this object.
  SqlShadows(Writer& writer, ReaderPool& readers) : writer_(writer), readers_(readers) {}

  absl::Status Put(const NewShadowRun& run) override;
  absl::Status ForEach(const ShadowFilter& filter,
                       const std::function<bool(const std::string& record)>& visit) override;

 private:
  Writer& writer_;
  ReaderPool& readers_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_SHADOWS_H_
