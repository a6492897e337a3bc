#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/files/atomic_file.h"

namespace tessera {

/// Takes a writer's text.
class TextSink {
 public:
  virtual ~TextSink() = default;
  virtual void write(std::string_view text) = 0;
  /// Must follow the last write; the text is not in place before.
  virtual void finish() {}
};

/// Collects text in memory.
class StringSink : public TextSink {
 public:
  void write(std::string_view text) override { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Standard output. Throws FileError.
class StandardOutputSink : public TextSink {
 public:
  void write(std::string_view text) override;
  void finish() override;
};

/// A file that appears when it is complete. Throws FileError.
class FileSink : public TextSink {
 public:
  explicit FileSink(const std::string& path) : file_(path) {}
  void write(std::string_view text) override { file_.write(text); }
  void finish() override { file_.commit(); }

 private:
  AtomicFile file_;
};

/// Compresses text on its way to another sink, as one gzip member without name and date, so that
/// the same text always gives the same bytes.
class GzipSink : public TextSink {
 public:
  explicit GzipSink(std::unique_ptr<TextSink> packed);
  ~GzipSink() override;
  void write(std::string_view text) override;
  void finish() override;

 private:
  struct Packer;
  void pack(std::string_view text, bool last);

  std::unique_ptr<TextSink> packed_;
  std::unique_ptr<Packer> packer_;
};

}  // namespace tessera
