"""Faults in how rules of files are stepped on GPUs."""

from fault import FILES_CUDA, STEPS_TEST, TABLES, TABLES_CUDA, TABLES_VULKAN, Fault

KERNEL = "backends/cuda/kernels/table.cu"
SHADER = "shaders/table.comp"
STEPS = "core/stepping/table_steps.cpp"
EMULATED = ("tests/gpu/emulation/driver/fake_launch.cpp",)

TABLE_FAULTS = [
    Fault(
        "the graph of tables gives no pages that have grown since",
        "core/rules/transition_graph.cpp",
        "pages_[at / kPage] = ++made_;",
        "if (made_++; pages_[at / kPage] == 0) pages_[at / kPage] = made_;",
        (TABLES,),
    ),
    Fault(
        "a generation that was stopped counts as done",
        STEPS,
        "const std::int64_t done = whole ? now : static_cast<std::int64_t>(stop.generation);",
        "const std::int64_t done = whole ? now : static_cast<std::int64_t>(stop.generation) + 1;",
        (TABLES_VULKAN, TABLES_CUDA),
    ),
    Fault(
        "the second of two rules begins with every batch",
        STEPS,
        "odd = odd != (done % 2 != 0);",
        "",
        (TABLES_VULKAN, TABLES_CUDA),
    ),
    Fault(
        "the host leaves out the states of cells that a full graph does not know",
        STEPS,
        "if (!cells.empty()) device.put(cells);",
        "",
        (TABLES_VULKAN, TABLES_CUDA),
    ),
    Fault(
        "parts of a generation whose cells the host works out leave words out",
        STEPS,
        "std::min(first + kPartWords, device.words())",
        "std::min(first + kPartWords - 1, device.words())",
        (TABLES_VULKAN, TABLES_CUDA),
    ),
    Fault(
        "a graph that has outgrown its copy is sent in part",
        STEPS,
        "    seen = 0;\n",
        "",
        (STEPS_TEST,),
    ),
    Fault(
        "the kernel table of CUDA goes on where a generation was stopped",
        KERNEL,
        "if (read_now(run.notes->stopped) < run.generation) return;",
        "",
        (TABLES_CUDA,),
        EMULATED,
    ),
    Fault(
        "the kernel table of CUDA wraps rows of 32 columns and a part a column late",
        KERNEL,
        "(words[0] & 1u) << (last - 1)",
        "(words[0] & 1u) << last",
        (TABLES_CUDA,),
        EMULATED,
    ),
    Fault(
        "the kernel table of CUDA sees only cells above as company",
        KERNEL,
        "for (int r = 0; r < 3; r++)\n          busy",
        "for (int r = 0; r < 2; r++)\n          busy",
        (TABLES_CUDA,),
        EMULATED,
    ),
    Fault(
        "launches of the kernel table leave out the last word of a part",
        "backends/cuda/file_stepper.cpp",
        "run.first < end; run.first = run.end)",
        "run.first < end; run.first = run.end + 1)",
        (FILES_CUDA,),
    ),
    Fault(
        "the kernel table of Vulkan goes on where a generation was stopped",
        SHADER,
        "if (notes[TESSERA_NOTES_STOPPED] < p.generation) return;",
        "",
        (TABLES_VULKAN,),
    ),
    Fault(
        "the kernel table of Vulkan sees the row above a torus as dead",
        SHADER,
        "if (PLANE == 0 || !beyond) {",
        "if (!beyond) {",
        (TABLES_VULKAN,),
    ),
    Fault(
        "the kernel table of Vulkan wraps rows a column late",
        SHADER,
        "(word_at(0, row, n) & 1) << (last == 0 ? 31 : last - 1)",
        "(word_at(0, row, n) & 1) << (last == 0 ? 31 : last)",
        (TABLES_VULKAN,),
    ),
    Fault(
        "the kernel table of Vulkan packs the states that a cell sees in another order",
        SHADER,
        "<< (8 * (n % 4));",
        "<< (8 * (3 - n % 4));",
        (TABLES_VULKAN,),
    ),
    Fault(
        "rules of files go to a GPU by themselves",
        "backends/drivers.cpp",
        "(spec.rule.from_file() && spec.cells() < kManyCells) ||",
        "",
        (FILES_CUDA,),
    ),
]
