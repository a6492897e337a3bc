"""The rooms from the ground up. A file may include what stands in its own room or in a lower one; rooms on one level know nothing of
each other. A room is a folder, or a file that stands higher or lower than the rest of its folder; the longest name that fits is
the file's."""

LEVELS = (
    ("shaders",),
    ("core/base",),
    ("core/cells",),
    ("core/files/atomic_file.h",),
    ("core/files/cache_folder.h",),
    ("core/rules",),
    ("core/files",),
    ("core/patterns",),
    ("core/pictures",),
    ("core/tiles/tile.h",),
    ("core/tiles/tile_layout.h",),
    ("core/tiles/tile_table.h",),
    ("core/tiles/tile_store.h",),
    ("core/tiles/tile_pool.h",),
    ("core/tiles/tile_device.h",),
    ("core/stepping",),
    ("core/tiles",),
    ("core/spaces",),
    ("core",),
    ("backends/gpu",),
    ("backends/cpu", "backends/cuda", "backends/vulkan", "backends/tuning"),
    ("backends/distributed",),
    ("backends",),
    ("apps/measure",),
    ("apps/common",),
    ("apps/common/pages",),
    ("apps/tessera",),
    ("apps/tessera/run", "apps/tessera/compare", "apps/tessera/bench"),
    ("apps/tessera/pages",),
    ("apps/tessera/main.cpp",),
    ("apps/viewer",),
    ("apps/viewer/simulation",),
    ("apps/viewer/window",),
    ("apps/viewer/played",),
    ("apps/viewer/main.cpp",),
)

# Headers that the build or the program writes, or that other libraries have under such names.
ELSEWHERE = (r"\w+\.spv\.inc", r"tuning_files\.inl", r"vulkan/vulkan_raii\.hpp", r"layout\.cuh", r"rule\.cuh")

# Sources that travel as text lie side by side when they are compiled: the folders that such a name may stand for.
SIDE_BY_SIDE = {"backends/cuda/kernels": ("backends/cuda/kernels", "backends/cuda", "core/rules")}
