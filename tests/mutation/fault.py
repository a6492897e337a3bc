"""What a planted fault is, and the test programs that may notice it."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Program:
    """A test program and how it is run as a killer: quickly, and up to the first failure."""

    target: str
    arguments: tuple = ()
    environment: dict = field(default_factory=dict, hash=False)  # BUILD stands for that folder
    runner: tuple = ()  # what runs it: a script of the sources and its arguments; 77: it cannot here
    needs: str = ""  # a file of the build without which it cannot be run


CORE = Program("core_test", ("--test-case-exclude=all 2^18 rules*",))
FORMATS = Program("formats_test", ("--test-case-exclude=compressed bombs*",))
CHECKPOINT = Program("checkpoint_test")
PNG = Program("png_test")
MEASURE = Program("measure_test")
CONTRACT = Program("contract_test")
DRIVERS = Program("drivers_test")
LAUNCHES = Program("launches_test")
GATES_TEST = Program("gates_test", ("--test-case=first programs*,all 256*,the first program*",))
SHIPPED = Program("gates_test", ("--test-case=every named rule*",))
FOUND = Program("found_programs_test")
COMPILED = Program("compiled_test", ("--test-case=machine code*",), {"TESSERA_CASES": "100"})
COMPILED_FEW = Program("compiled_test", ("--test-case=a program of one gate*",))
COMPILED_ENDS = Program("compiled_test", ("--test-case=code closes rows*",))
COMPILED_PLANES = Program("compiled_test", ("--test-case=several planes*",))
THREADS_PLANES = Program("threads_test", ("--test-case=several planes*",))
STATES_TEST = Program("states_test", (), {"TESSERA_CASES": "40"})
TABLES = Program("tables_test")
CASES = Program("differential_test", ("--test-case=random cases*",), {"TESSERA_CASES": "400"})
HASHES = Program("facts_test", ("--test-case=state hashes*",))
PLANE = Program("plane_test", ("--test-case=the plane agrees*",))
PASSES = Program("strips_test", ("--test-case=a pass cut*",))
STRETCHED = Program("strips_test", ("--test-case=stretches*",))
BANDS = Program("distributed_test", (), {"TESSERA_CASES": "200"})
RANKS = Program("ranks_test")
RANK_SHARDS_TEST = Program("ranks_test", ("--source-file=*rank_shards_test.cpp",))
RANK_TILES_TEST = Program("ranks_test", ("--source-file=*rank_tiles_test.cpp",))
BALANCE = Program("ranks_test", ("--source-file=*band_balance_test.cpp",))
CREW = Program("ranks_test", ("--source-file=*crew_test.cpp",))
TILE_THREADS = Program("tile_threads_test")
TILES = Program("tiles_test", (), {"TESSERA_CASES": "400"})
# Only the file of the tests that notice, for faults that all of them find late.
TILE_PLANE, TILE_PARTS, TILE_DEVICE = (
    Program("tiles_test", (f"--source-file=*tile_{file}_test.cpp",), {"TESSERA_CASES": "400"})
    for file in ("plane", "parts", "device")
)
TILE_STATES = Program(
    "tiles_test", ("--source-file=*tile_states_test.cpp",), {"TESSERA_CASES": "600"}
)
TILE_RANGES, TILE_TURNS = (
    Program("tiles_test", (f"--test-case={cases}",), {"TESSERA_CASES": "600"})
    for cases in ("*rules of longer range*", "*two rules*")
)
SHARED_TILES = Program("shared_tiles_test", (), {"TESSERA_CASES": "60"})
VULKAN_TILES = Program(
    "tiles_test",
    (
        "--test-case=random lives of a plane*,random lives of tori*,a glider goes round*,"
        "tiles take the cells of a grid on*",
    ),
    {"TESSERA_CASES": "12"},
    ("tests/vulkan/on_device.sh", "lavapipe8"),
)
# Those of several planes, and of two rules in turns.
DEVICE_STATES = "--test-case=random lives under programs*,random lives under two*,what one of two*"
VULKAN_TILE_STATES = Program(
    "tiles_test", (DEVICE_STATES,), {"TESSERA_CASES": "12"}, ("tests/vulkan/on_device.sh", "lavapipe8")
)
# Tiles on a CUDA device that is none.
FAKE_CUDA = "tests/gpu/fake"
DEVICE_TILES = Program(
    "tiles_test",
    (
        "--test-case=random lives of a plane*,statistics of every generation*,tiles that have come*,"
        "random lives of tori are those of a grid when*,a pentadecathlon costs*,"
        "tiles take the cells*",
    ),
    {
        "LD_LIBRARY_PATH": "BUILD/" + FAKE_CUDA,
        "TESSERA_BACKENDS": "cuda",
        "TESSERA_CACHE": f"BUILD/{FAKE_CUDA}/cache",
        "TESSERA_CASES": "12",
    },
    needs=FAKE_CUDA + "/libcuda.so.1",
)
DEVICE_TILE_STATES = Program(
    "tiles_test", (DEVICE_STATES,), DEVICE_TILES.environment, needs=DEVICE_TILES.needs
)
# Bands on CUDA devices that are none, and their kernel on the CPU.
DEVICE_BANDS = Program(
    "bands_cuda_test",
    (),
    {
        "LD_LIBRARY_PATH": "BUILD/" + FAKE_CUDA,
        "TESSERA_CACHE": f"BUILD/{FAKE_CUDA}/cache",
        "FAKE_CUDA_DEVICES": "3",
        "FAKE_CUDA_KILOHERTZ": "7000",
    },
    needs=FAKE_CUDA + "/libcuda.so.1",
)
BAND_KERNEL = Program("strips_band_8_4_8_1_test", needs=FAKE_CUDA + "/libcuda.so.1")
# Rules as programs: as text, and as SPIR-V.
RULE_SOURCE = Program("rule_source_test", needs=FAKE_CUDA + "/libcuda.so.1")
STATES_CUDA = Program(
    "states_cuda_test",
    (),
    {"LD_LIBRARY_PATH": "BUILD/" + FAKE_CUDA, "TESSERA_CACHE": f"BUILD/{FAKE_CUDA}/cache"},
    needs=FAKE_CUDA + "/libcuda.so.1",
)
PROGRAM_MODULE = Program(
    "vulkan_program_module_test", (), {}, ("tests/vulkan/on_device.sh", "lavapipe8")
)
VULKAN_STATES = Program("vulkan_states_test", (), {}, ("tests/vulkan/on_device.sh", "lavapipe8"))
VULKAN_RANGES = Program(
    "ranges_test",
    ("--test-case=kernels of longer range*",),
    {"TESSERA_KERNELS": "sums", "TESSERA_CASES": "24"},
    ("tests/vulkan/on_device.sh", "lavapipe8"),
)
VULKAN_CHUNKS = Program(
    "vulkan_chunks_test",
    ("--test-case=so does a grid of several states",),
    {},
    ("tests/vulkan/on_device.sh", "lavapipe8"),
)
VULKAN_CHAINED = Program("vulkan_chained_test", (), {}, ("tests/vulkan/on_device.sh", "lavapipe8"))
VULKAN_ADDRESSES = Program(
    "vulkan_chunks_test",
    ("--test-case=addresses reach every buffer*",),
    {},
    ("tests/vulkan/on_device.sh", "lavapipe8"),
)
MARCH = Program("march_emulation_8_1_test", needs=FAKE_CUDA + "/libcuda.so.1")
CASCADE = Program("cascade_emulation_torus_test", needs=FAKE_CUDA + "/libcuda.so.1")
RESIDENT = Program("resident_emulation_torus_test", needs=FAKE_CUDA + "/libcuda.so.1")
RELAY_PLANS = Program("relay_plan_test", needs=FAKE_CUDA + "/libcuda.so.1")
RELAY = Program("relay_emulation_test", needs=FAKE_CUDA + "/libcuda.so.1")
RELAY_RING = Program("ring_emulation_test", needs=FAKE_CUDA + "/libcuda.so.1")
TURNS = Program("turns_test")
RANGES = Program("ranges_test", ("--test-case=kernels of longer range*",), {"TESSERA_CASES": "120"})
RANGES_CUDA = Program(
    "ranges_test",
    ("--test-case=kernels of longer range*",),
    {
        "LD_LIBRARY_PATH": "BUILD/" + FAKE_CUDA,
        "TESSERA_BACKENDS": "cuda",
        "TESSERA_CACHE": f"BUILD/{FAKE_CUDA}/cache",
        "TESSERA_CASES": "14",
    },
    needs=FAKE_CUDA + "/libcuda.so.1",
)
# Rules of files on devices.
STEPS_TEST = Program("core_test", ("--test-case=a device that lacks*",))
TABLES_CUDA = Program(
    "tables_test",
    (),
    {
        "LD_LIBRARY_PATH": "BUILD/" + FAKE_CUDA,
        "TESSERA_BACKENDS": "cuda",
        "TESSERA_CACHE": f"BUILD/{FAKE_CUDA}/cache",
        "TESSERA_CASES": "14",
        "TESSERA_KERNELS": "table",
    },
    needs=FAKE_CUDA + "/libcuda.so.1",
)
FILES_CUDA = Program(
    "files_cuda_test",
    (),
    {"LD_LIBRARY_PATH": "BUILD/" + FAKE_CUDA, "TESSERA_CACHE": f"BUILD/{FAKE_CUDA}/cache"},
    needs=FAKE_CUDA + "/libcuda.so.1",
)
TABLES_VULKAN = Program(
    "tables_test",
    (),
    {"TESSERA_KERNELS": "table", "TESSERA_CASES": "14"},
    ("tests/vulkan/on_device.sh", "lavapipe8"),
)
BATCHES = Program(
    "batch_test",
    ("--test-case=the CPU's batches*,a batch holds*",),
    {"TESSERA_BACKENDS": "cpu", "TESSERA_CASES": "60"},
)
VULKAN_BATCHES = Program(
    "vulkan_batches_test",
    ("--test-case=universes in registers*,batches cut*",),
    {},
    ("tests/vulkan/on_device.sh", "lavapipe8"),
)
BATCH_SLICED = Program("batch_emulation_sliced_torus_test", needs=FAKE_CUDA + "/libcuda.so.1")
THREADS = Program("threads_test", ("--test-case=any number*",))


@dataclass(frozen=True)
class Fault:
    """`old`, which must occur exactly once in `file`, becomes `new`; one of `programs` must notice.

    A fault in a header names the sources (`units`) that are compiled with it, shaders too. A change that alters
    no result is no fault: keep such ideas out.
    """

    name: str
    file: str
    old: str
    new: str
    programs: tuple
    units: tuple = ()
