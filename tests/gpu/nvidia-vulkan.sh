# Read by the scripts beside it.
# Containers have NVIDIA's driver for Vulkan where no loader looks for it.
icd=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
if [ -e $icd ] && [ -z "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ]; then
  export VK_DRIVER_FILES=$icd VK_ICD_FILENAMES=$icd
fi
