#include "core/patterns/foreign_file.h"

#include <algorithm>
#include <cctype>

namespace tessera {
namespace {

using namespace std::string_view_literals;

struct Mark {
  std::string_view text;
  const char* what;
};

// How such files begin, as their specifications say.
constexpr Mark kFirstBytes[] = {
    {"PK\x03\x04"sv, "a zip archive"},
    {"PK\x05\x06"sv, "an empty zip archive"},
    {"BZh"sv, "a bzip2 archive"},
    {"\xfd"
     "7zXZ\0"sv,
     "an xz archive"},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive"},
    {"Rar!\x1a\x07"sv, "a RAR archive"},
    {"\x28\xb5\x2f\xfd"sv, "a zstd archive"},
    {"\x89PNG\r\n\x1a\n"sv, "a PNG picture"},
    {"GIF8"sv, "a GIF picture"},
    {"\xff\xd8\xff"sv, "a JPEG picture"},
    {"%PDF-"sv, "a PDF document"},
    {"\x7f"
     "ELF"sv,
     "a program"},
    {"#!/"sv, "a script"},
    {"[M"sv, "a macrocell file of a version that is not known"},
    {"@RULE"sv, "a rule table (@RULE), not a pattern of cells"},
    {"@TABLE"sv, "a rule table (@TABLE), not a pattern of cells"},
    {"@TREE"sv, "a rule tree (@TREE), not a pattern of cells"},
};

// In lower case: pages of the web begin in many ways.
constexpr Mark kFirstWords[] = {
    {"<!doctype"sv, "a web page"}, {"<html"sv, "a web page"},
    {"<?xml"sv, "an XML file"},    {"{\""sv, "a JSON file"},
    {"{\n"sv, "a JSON file"},      {"{\\rtf"sv, "a word processor's document"},
};

// Texts whose names alone tell.
constexpr Mark kSuffixes[] = {
    {".lua"sv, "a Lua script"},         {".py"sv, "a Python script"},   {".pl"sv, "a Perl script"},
    {".rule"sv, "a rule table"},        {".table"sv, "a rule table"},   {".tree"sv, "a rule tree"},
    {".colors"sv, "a list of colours"}, {".icons"sv, "a set of icons"},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

std::string foreign_file(std::string_view head, const std::string& name) {
  for (const Mark& mark : kFirstBytes) {
    if (head.starts_with(mark.text)) return mark.what;
  }
  if (head.size() > 262 && head.substr(257, 5) == "ustar") return "a tar archive";
  const std::size_t start = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  const std::string first = lower(head.substr(start, 16));
  for (const Mark& mark : kFirstWords) {
    if (first.starts_with(mark.text)) return mark.what;
  }
  const std::string file = lower(name);
  for (const Mark& mark : kSuffixes) {
    if (file.ends_with(mark.text)) return mark.what;
  }
  return "";
}

}  // namespace tessera
