// A CUDA driver and an NVRTC that run the kernels of tiles.cu, and those of grids in two shapes
// (grid_kernels.cpp), on the CPU: libcuda.so.1 and libnvrtc.so.13 for programs that test the
// backend's tiles without a GPU. Memory of the device is
// memory of the host, launches are done when they return, and a warp's lanes are coroutines that
// meet at every exchange. "Compiling" keeps the rule's header; everything else about a kernel is
// this library's own copy of its text. But the kernel sums, whose text differs with every rule, and
// the services of its layout are compiled indeed, by the compiler of the host
// (compiled_kernels.cpp), perhaps of a folder FAKE_CUDA_KERNELS. There are FAKE_CUDA_DEVICES of
// FAKE_CUDA_MULTIPROCESSORS, 1 of 2 where these are not set; a launch runs on the thread that makes
// it, so that kernels of several devices run beside each other where several threads launch them.
#include "warp.cuh"
// After it, so that the kernel's own is not taken.
#include "tiles.cu"

#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <nvrtc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

bool run_torus(const std::string& name, void** arguments, int word);
bool run_plane(const std::string& name, void** arguments, int word);
bool run_inner_torus(const std::string& name, void** arguments, int word);
bool run_whole_torus(const std::string& name, void** arguments, int word);
bool run_whole_plane(const std::string& name, void** arguments, int word);
bool run_states_torus(const std::string& name, void** arguments, int word);
bool run_states_plane(const std::string& name, void** arguments, int word);

namespace {

struct Gate {
  int table, a, b, c;
};
// A rule as rule_source.h writes it; no gates: Life.
struct Rule {
  std::vector<Gate> gates;
};
struct FakeModule;
struct Function {
  std::string name;
  const Rule* rule;
  const FakeModule* module;
};
struct FakeModule {
  Rule rule;
  std::string file;
  std::map<std::string, int> options;
  std::map<std::string, Function> functions;
  bool states = false;      // of the one rule that is a program
  void* library = nullptr;  // of what was compiled
};
struct Program {
  std::string file, rule, layout, options, log, machine_code;
};

// What an image of machine code begins with; its length and the code follow.
constexpr const char* kCompiled = "compiled";

// "-DNAME=1" by name.
std::map<std::string, int> read_options(std::istream& lines) {
  std::map<std::string, int> out;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos)
      out[line.substr(0, equals)] = std::atoi(line.c_str() + equals + 1);
  }
  return out;
}

thread_local const Rule* rule = nullptr;

// The launch that is under way.
thread_local const Function* launched = nullptr;
thread_local void** given = nullptr;

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

template <class T>
const T& argument(int n) {
  return *static_cast<const T*>(given[n]);
}

bool is_program(const std::string& text) {
  return text.find("#define TESSERA_PROGRAM 1") != std::string::npos;
}

using RunOfGrid = bool (*)(const std::string& name, void** arguments, int word);

// The one rule that is a program.
bool is_rule_of_states(const std::string& header) {
  std::ifstream file(FAKE_RULE_OF_STATES);
  return header == std::string(std::istreambuf_iterator<char>(file), {});
}

// Which copy of the kernels of grids these options of a compilation ask for: those of bands have
// one row a lane, with or without edges that meet neighbours; those of whole grids eight. Null
// where there is no such copy.
RunOfGrid run_of_grid(const std::string& file, const std::map<std::string, int>& options,
                      bool states) {
  const auto option = [&](const char* name) {
    const auto found = options.find(name);
    return found == options.end() ? -1 : found->second;
  };
  const bool torus = option("-DTESSERA_TORUS") != 0;
  const RunOfGrid band = torus ? run_torus : run_plane;
  if (file == "march.cu" || file == "relay.cu" || file == "resident.cu") return nullptr;
  if (option("-DTESSERA_PLANES") > 1) return run_states_torus;
  if (file != "strips.cu") return band;  // services know no rows of lanes
  if (option("-DTESSERA_W") != 8 || option("-DTESSERA_T") != 8 || option("-DTESSERA_NARROW") != 0 ||
      option("-DTESSERA_LAST_READ") != 0)
    return nullptr;
  if (states) {
    if (option("-DTESSERA_R") != 1 || option("-DTESSERA_WARPS") != 4) return nullptr;
    return torus ? run_states_torus : run_states_plane;
  }
  // On a plane what becomes a band is compiled without edges, too, which is never stepped.
  if (option("-DTESSERA_R") == 1)
    return torus && option("-DTESSERA_BAND") == 0 ? run_inner_torus : band;
  if (option("-DTESSERA_BAND") == 1) return nullptr;
  if (option("-DTESSERA_R") != 8 || option("-DTESSERA_WARPS") != 2) return nullptr;
  return torus ? run_whole_torus : run_whole_plane;
}

void run_kernel_of_grid() {
  const auto& options = launched->module->options;
  const auto word = options.find("-DTESSERA_LAST_WORD");
  const RunOfGrid run = run_of_grid(launched->module->file, options, launched->module->states);
  const auto band = options.find("-DTESSERA_BAND"), rows = options.find("-DTESSERA_R");
  const bool never = launched->module->file == "strips.cu" && run == run_plane &&
                     band->second != 1 && rows->second == 1;
  if (never || !run(launched->name, given, word == options.end() ? -1 : word->second)) std::abort();
}

void run_kernel() {
  const std::string& name = launched->name;
  if (launched->module->file != "tiles.cu") return run_kernel_of_grid();
  const TileRing& ring = argument<TileRing>(0);
  if (name == "step_tiles") return step_tiles(ring, argument<TileLaunch>(1));
  if (name == "renew_copies") return renew_copies(ring, argument<TileLaunch>(1), argument<u32>(2));
  if (name == "look_ahead") return look_ahead(ring, argument<u32>(1), argument<u32>(2));
  if (name == "restart_tiles") return restart_tiles(ring, argument<TileRing>(1), argument<u32>(2));
  if (name == "patch_tiles") return patch_tiles(ring, argument<TileChanges>(1));
  if (name == "take_band") return take_band(ring, argument<TileBand>(1));
  if (name == "look_at_tiles") {
    return look_at_tiles(ring, argument<u32>(1), argument<u32>(2), argument<u32>(3),
                         argument<u32>(4), argument<u32>(5), argument<u16*>(6));
  }
  if (name == "take_tiles") {
    return take_tiles(ring, argument<u32>(1), argument<const u32*>(2), argument<u32>(3),
                      argument<u64*>(4));
  }
  if (name == "lone_shapes") {
    return lone_shapes(ring, argument<u32>(1), argument<u32>(2), argument<u32>(3),
                       argument<u32>(4));
  }
  std::abort();
}

// Memory of the device, and of other processes' devices.
struct Piece {
  std::size_t bytes;
  int file;  // where it is shared; or -1
};
std::mutex pieces_mutex;
std::map<void*, Piece> pieces;

// What stands for a piece in other processes.
struct Handle {
  pid_t process;
  int file;
  std::size_t bytes;
};

// Of a file, or nobody else's; in place of what is at `at`. Null where there is none.
void* map_memory(void* at, std::size_t bytes, int file) {
  const int how = (file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED) | (at ? MAP_FIXED : 0);
  void* const memory =
      ::mmap(at, std::max<std::size_t>(bytes, 1), PROT_READ | PROT_WRITE, how, file, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

std::string image_of(nvrtcProgram program) {
  const auto* of = reinterpret_cast<const Program*>(program);
  if (!of->machine_code.empty()) {
    return std::string(kCompiled) + "\n" + std::to_string(of->machine_code.size()) + "\n" +
           of->machine_code;
  }
  return of->file + "\n" + of->options + "\n" + of->rule;
}

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Whether it is compiled indeed.
bool is_of_sums(const Program& program) {
  return program.file == "sums.cu" || program.layout.find("layout_sums.cuh") != std::string::npos;
}

// False where the compiler of the host refuses it.
bool compile_on_host(Program& program) {
  std::string name = (std::filesystem::temp_directory_path() / "tessera-fake-XXXXXX").string();
  if (!::mkdtemp(name.data())) return false;
  const std::filesystem::path folder = name;
  std::ofstream(folder / "rule.cuh") << program.rule;
  std::ofstream(folder / "layout.cuh") << program.layout;
  std::string command = FAKE_COMPILER
                        " -std=c++20 -O1 -w -shared -fPIC -fvisibility=hidden -fno-gnu-unique -I" +
                        name;
  if (const char* kernels = std::getenv("FAKE_CUDA_KERNELS"))
    command += std::string(" -I") + kernels;
  command += std::string(" ") + FAKE_INCLUDES;
  std::istringstream options(program.options);
  for (std::string option; std::getline(options, option);)
    if (option.starts_with("-D")) command += " '" + option + "'";
  command += std::string(" -DTESSERA_SERVICES=") + (program.file == "services.cu" ? "1 " : "0 ");
  command += std::string(FAKE_KERNELS) + " -o " + name + "/code.so >" + name + "/log 2>&1";
  const bool made = std::system(command.c_str()) == 0;
  program.machine_code = made ? contents_of(folder / "code.so") : "";
  program.log = contents_of(folder / "log");
  std::filesystem::remove_all(folder);
  return made;
}

// Machine code as a library of this process; null where it cannot be loaded.
void* load_code(std::istream& image) {
  std::string length;
  std::getline(image, length);
  std::string name = (std::filesystem::temp_directory_path() / "tessera-fake-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file < 0) return nullptr;
  std::string code(static_cast<std::size_t>(std::atoll(length.c_str())), 0);
  image.read(code.data(), static_cast<std::streamsize>(code.size()));
  std::ofstream(name, std::ios::binary) << code;
  void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  ::close(file);
  ::unlink(name.c_str());
  return library;
}

// The gates of rule.cuh.
Rule read_rule(const std::string& text) {
  Rule out;
  const std::string word = "TESSERA_LUT3(";
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) {
    Gate gate{};
    if (std::sscanf(text.c_str() + at + word.size(), "%d, s%d, s%d, s%d", &gate.table, &gate.a,
                    &gate.b, &gate.c) != 4) {
      std::abort();
    }
    out.gates.push_back(gate);
  }
  return out;
}

}  // namespace

unsigned int tessera_tail(unsigned int t0, unsigned int k, unsigned int u0, unsigned int u1,
                          unsigned int x) {
  if (rule->gates.empty()) {
    // Three among the nine, or four and alive.
    const unsigned int two = k ^ u0, carry = k & u0, four = u1 ^ carry, eight = u1 & carry;
    return ~eight & ((t0 & two & ~four) | (x & ~t0 & ~two & four));
  }
  unsigned int signals[16] = {t0, k, u0, u1, x};
  int count = 5;
  for (const Gate& gate : rule->gates) {
    const unsigned int a = signals[gate.a], b = signals[gate.b], c = signals[gate.c];
    unsigned int out = 0;
    for (int i = 0; i < 8; i++) {
      if (gate.table >> i & 1) out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    }
    signals[count++] = out;
  }
  return signals[count - 1];
}

extern "C" {

CUresult cuInit(unsigned int) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult, const char** text) { return *text = "an error", CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult, const char** text) { return *text = "an error", CUDA_SUCCESS; }
CUresult cuDeviceGetCount(int* count) {
  return *count = setting("FAKE_CUDA_DEVICES", 1), CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int index) { return *device = index, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::strncpy(name, "emulated", static_cast<std::size_t>(length));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
           : which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
               ? setting("FAKE_CUDA_MULTIPROCESSORS", 2)
           : which == CU_DEVICE_ATTRIBUTE_CLOCK_RATE ? 1000000
                                                     : 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  return *bytes = std::size_t{8} << 30, CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid* id, CUdevice device) {
  *id = {};
  return id->bytes[0] = static_cast<char>(device), CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* id, int, CUdevice) { return *id = 0, CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  return *context = nullptr, CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent(CUcontext*) { return CUDA_SUCCESS; }
CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) { return *can = 1, CUDA_SUCCESS; }
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned int) { return CUDA_SUCCESS; }
CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  return *free = *total = std::size_t{8} << 30, CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* at, std::size_t bytes) {
  void* const memory = map_memory(nullptr, bytes, -1);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(memory, 0xDD, bytes);  // nothing may count on zeros
  const std::lock_guard lock(pieces_mutex);
  pieces[memory] = {bytes, -1};
  *at = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr at) {
  const std::lock_guard lock(pieces_mutex);
  const auto found = pieces.find(reinterpret_cast<void*>(at));
  if (found == pieces.end()) std::abort();
  ::munmap(found->first, std::max<std::size_t>(found->second.bytes, 1));
  if (found->second.file >= 0) ::close(found->second.file);
  pieces.erase(found);
  return CUDA_SUCCESS;
}
// The piece moves into a file without a name, which others find among this process's open files.
CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr at) {
  const std::lock_guard lock(pieces_mutex);
  Piece& piece = pieces.at(reinterpret_cast<void*>(at));
  if (piece.file < 0) {
    piece.file = ::memfd_create("fake CUDA memory", 0);
    const auto* const from = reinterpret_cast<const char*>(at);
    const std::string old(from, piece.bytes);
    if (::ftruncate(piece.file, static_cast<off_t>(piece.bytes)) != 0 ||
        !map_memory(reinterpret_cast<void*>(at), piece.bytes, piece.file))
      return CUDA_ERROR_OUT_OF_MEMORY;
    std::memcpy(reinterpret_cast<void*>(at), old.data(), old.size());
  }
  const Handle out{::getpid(), piece.file, piece.bytes};
  return std::memcpy(handle, &out, sizeof out), CUDA_SUCCESS;
}
CUresult cuIpcOpenMemHandle(CUdeviceptr* at, CUipcMemHandle handle, unsigned int) {
  Handle from{};
  std::memcpy(&from, &handle, sizeof from);
  const std::string path =
      "/proc/" + std::to_string(from.process) + "/fd/" + std::to_string(from.file);
  const int file = ::open(path.c_str(), O_RDWR);
  void* const memory = file < 0 ? nullptr : map_memory(nullptr, from.bytes, file);
  if (!memory) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard lock(pieces_mutex);
  pieces[memory] = {from.bytes, file};
  *at = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}
CUresult cuIpcCloseMemHandle(CUdeviceptr at) { return cuMemFree(at); }
CUresult cuMemAllocHost(void** at, std::size_t bytes) {
  return *at = std::malloc(bytes), CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* at) { return std::free(at), CUDA_SUCCESS; }
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
  return std::memcpy(to, reinterpret_cast<void*>(from), bytes), CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
  return std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes),
         CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
  return std::memset(reinterpret_cast<void*>(to), value, bytes), CUDA_SUCCESS;
}
CUresult cuMemsetD32Async(CUdeviceptr, unsigned int, std::size_t, CUstream) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return *least = 0, *greatest = -1, CUDA_SUCCESS;
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int, int) {
  return *stream = nullptr, CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned int) { return CUDA_SUCCESS; }
CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuStreamEndCapture(CUstream, CUgraph*) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuGraphInstantiateWithFlags(CUgraphExec*, CUgraph, unsigned long long) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuGraphLaunch(CUgraphExec, CUstream) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuGraphDestroy(CUgraph) { return CUDA_SUCCESS; }
CUresult cuGraphExecDestroy(CUgraphExec) { return CUDA_SUCCESS; }
CUresult cuEventCreate(CUevent*, unsigned int) { return CUDA_SUCCESS; }
CUresult cuEventDestroy(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent, CUstream) { return CUDA_SUCCESS; }
CUresult cuEventSynchronize(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float* ms, CUevent, CUevent) { return *ms = 0, CUDA_SUCCESS; }
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  // The file's name, options, then the rule's header.
  auto* made = new FakeModule;
  *module = reinterpret_cast<CUmodule>(made);
  const auto* const bytes = static_cast<const char*>(image);
  const std::string compiled = std::string(kCompiled) + "\n";
  if (std::strncmp(bytes, compiled.c_str(), compiled.size()) == 0) {
    const char* const length = bytes + compiled.size();
    const std::size_t head = std::strchr(length, '\n') + 1 - length;
    std::istringstream code(std::string(length, head + std::atoll(length)));
    made->library = load_code(code);
    return made->library ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
  }
  std::istringstream text(bytes);
  std::getline(text, made->file);
  made->options = read_options(text);
  made->states = is_program(static_cast<const char*>(image));
  if (!made->states) made->rule = read_rule(static_cast<const char*>(image));
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  auto* const of = reinterpret_cast<FakeModule*>(module);
  if (of->library) ::dlclose(of->library);
  return delete of, CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  auto* of = reinterpret_cast<FakeModule*>(module);
  Function& found = of->functions[name];
  found = {name, &of->rule, of};
  *function = reinterpret_cast<CUfunction>(&found);
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  return *value = 0, CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuLaunchKernel(CUfunction function, unsigned int blocks, unsigned int, unsigned int,
                        unsigned int threads, unsigned int, unsigned int, unsigned int, CUstream,
                        void** arguments, void**) {
  launched = reinterpret_cast<const Function*>(function);
  given = arguments;
  if (void* const library = launched->module->library) {
    using Launch = bool (*)(const char*, void**, unsigned int, unsigned int);
    const auto launch = reinterpret_cast<Launch>(::dlsym(library, "tessera_launch"));
    if (!launch || !launch(launched->name.c_str(), arguments, blocks, threads)) std::abort();
    return CUDA_SUCCESS;
  }
  rule = launched->rule;
  emulated::warp.kernel = run_kernel;
  gridDim.x = blocks;
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
    for (unsigned int n = 0; n < threads / 32; n++) emulated::run_warp(n);
  }
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                          void** extra) {
  return cuLaunchKernel(function, config->gridDimX, 1, 1, config->blockDimX, 1, 1, 0, nullptr,
                        arguments, extra);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  return *blocks = 1, CUDA_SUCCESS;
}

nvrtcResult nvrtcVersion(int* major, int* minor) { return *major = 13, *minor = 0, NVRTC_SUCCESS; }
const char* nvrtcGetErrorString(nvrtcResult) { return "an error"; }
nvrtcResult nvrtcGetNumSupportedArchs(int* count) { return *count = 1, NVRTC_SUCCESS; }
nvrtcResult nvrtcGetSupportedArchs(int* archs) { return *archs = 90, NVRTC_SUCCESS; }
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char*, const char* file, int count,
                               const char* const* texts, const char* const* names) {
  auto* made = new Program;
  made->file = file;
  for (int i = 0; i < count; i++) {
    if (std::string(names[i]) == "rule.cuh") made->rule = texts[i];
    if (std::string(names[i]) == "layout.cuh") made->layout = texts[i];
  }
  *program = reinterpret_cast<nvrtcProgram>(made);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  return delete reinterpret_cast<Program*>(*program), NVRTC_SUCCESS;
}
// Fails where there is no copy of the kernel, as of one whose text is wrong.
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  auto* of = reinterpret_cast<Program*>(program);
  for (int i = 0; i < count; i++) of->options += options[i] + std::string("\n");
  std::istringstream lines(of->options);
  if (is_of_sums(*of)) return compile_on_host(*of) ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
  // Its own copies carry out the ends of circuits, and one program.
  const bool program_of_gates = is_program(of->rule);
  const bool known = !program_of_gates || is_rule_of_states(of->rule);
  if (known &&
      (of->file == "tiles.cu" || run_of_grid(of->file, read_options(lines), program_of_gates)))
    return NVRTC_SUCCESS;
  of->log = "the emulation has no copy of " + of->file + " of this shape or kind of rule:\n" +
            of->options;
  return NVRTC_ERROR_COMPILATION;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
  return *size = reinterpret_cast<Program*>(program)->log.size() + 1, NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  const std::string& text = reinterpret_cast<Program*>(program)->log;
  return std::memcpy(log, text.c_str(), text.size() + 1), NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
  return *size = image_of(program).size() + 1, NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* image) {
  const std::string text = image_of(program);
  return std::memcpy(image, text.c_str(), text.size() + 1), NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram, std::size_t*) { return NVRTC_ERROR_INVALID_INPUT; }
nvrtcResult nvrtcGetPTX(nvrtcProgram, char*) { return NVRTC_ERROR_INVALID_INPUT; }

}  // extern "C"
