"""How tests and benchmarks start ranks on one machine."""

# As root, with more ranks than cores, not bound to any; on_ranks.sh says why without hwloc's displays.
AS_WE_ARE = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
             "OMPI_MCA_hwloc_base_binding_policy": "none", "HWLOC_COMPONENTS": "-gl"}
# Every rank tells its number and its process before it becomes the program.
TELLING = ["sh", "-c", 'echo "$$" >"pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"; exec "$@"', "sh"]
