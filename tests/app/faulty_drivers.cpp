// The table of drivers of faulty_tessera: the unchanged program on devices that fail in known ways.

#include "backends/cpu/cpu_driver.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "faulty_backend.h"

namespace tessera {
namespace {

class FaultyDriver final : public Driver {
 public:
  const char* name() const override { return "faulty"; }
  DeviceList devices() const override {
    DeviceInfo device;
    device.name = "Faulty Device 9000";
    device.memory = 1 << 20;
    device.software = true;
    device.properties = {{"colour", "red"}};
    return {{device}, ""};
  }
  std::vector<KernelInfo> kernels() const override {
    return {{"late",
             "wrong in its last cell from 9 generations a call on",
             {{&Tuning::rows, "rows", "per lane", {4, 8}}}},
            {"burning", "fails when it steps", {}},
            {"byte", "fails when it steps, under a name that suites ask for", {}},
            {"flip", "wrong in one cell of generation 137", {}},
            {"lut", "the fastest of all: it steps nothing", {}},
            {"shapes",
             "with 8 rows it is fast and wrong, with 32 it does not fit",
             {{&Tuning::rows, "rows", "per lane", {4, 8, 16, 32}}}},
            {"tiring", "fails beyond generation 100", {}},
            {"leaking", "loses memory when it is made", {}},
            {"cramped", "has memory for 50,000 cells, which it learns when it allocates them", {}},
            {"picky", "takes widths that are multiples of 64 only", {}}};
  }

 private:
  BackendPlan plan(int, const BackendSpec& spec, const std::string& kernel,
                   const Tuning& tuning) const override {
    if (kernel == "picky" && spec.width % 64 != 0) {
      throw UnsupportedError("a width of " + std::to_string(spec.width) +
                             " cells; multiples of 64 are supported");
    }
    if (kernel == "shapes" && tuning.rows == 32)
      throw UnsupportedError("32 rows do not fit the device");
    Faults faults;
    faults.hides = true;
    if (kernel == "late") faults.wrong_from = 9;
    if (kernel == "flip") faults.flip_at = 137;
    if (kernel == "tiring") faults.dies_at = 100;
    faults.idle = kernel == "lut" || (kernel == "shapes" && tuning.rows == 8);
    faults.throws = kernel == "burning" || kernel == "byte";
    return [=]() -> std::unique_ptr<StepBackend> {
      if (kernel == "cramped" && spec.width * spec.height > 50000)
        throw DeviceMemoryError("the device has no memory left");
      if (kernel == "leaking") {
        [[maybe_unused]] int* volatile lost = new int[100];
      }
      return std::make_unique<FaultyBackend>(spec, cpu_driver().create(0, spec, "reference", {}),
                                             faults);
    };
  }
};

class AbsentDriver final : public Driver {
 public:
  const char* name() const override { return "absent"; }
  DeviceList devices() const override { return {{}, "it was unplugged"}; }
  std::vector<KernelInfo> kernels() const override { return {{"any", "never runs", {}}}; }

 private:
  BackendPlan plan(int, const BackendSpec&, const std::string&, const Tuning&) const override {
    throw UnsupportedError("it was unplugged");
  }
};

constexpr MissingDriver kMissing[] = {{"left-out", "not in this build: nobody asked for it"}};

}  // namespace

std::span<const Driver* const> drivers() {
  static const FaultyDriver kFaulty;
  static const AbsentDriver kAbsent;
  static const Driver* const kTable[] = {&kFaulty, &kAbsent, &cpu_driver()};
  return kTable;
}

std::span<const MissingDriver> missing_drivers() { return kMissing; }

}  // namespace tessera
