// A module of the driver beside this, and the image from which it is made.
#pragma once

#include <istream>
#include <map>
#include <string>
#include <vector>

namespace fake {

/// A gate of three inputs of a rule's circuit: numbers of signals.
struct Gate {
  int table, a, b, c;
};

/// A rule as rule_source.h writes it; no gates: Life.
struct Rule {
  std::vector<Gate> gates;
};

struct Module;

/// A kernel of a module: what a CUfunction points to.
struct Function {
  std::string name;
  const Rule* rule;
  const Module* module;
};

/// What a CUmodule points to.
struct Module {
  Rule rule;
  std::string file;
  std::map<std::string, int> options;
  std::map<std::string, Function> functions;
  bool states = false;      ///< of the one rule that is a program
  void* library = nullptr;  ///< of what was compiled indeed
};

/// What an image of machine code begins with; its length and the code follow. Other images are the
/// file's name, options, then the rule's header.
inline constexpr const char* kCompiled = "compiled";

/// "-DNAME=1" by name, up to an empty line.
std::map<std::string, int> read_options(std::istream& lines);

/// Whether a rule's header has a program rather than the end of a circuit.
bool is_program(const std::string& header);

}  // namespace fake
