const MIB = 1024 ** 2;

/**
 * Environment of a process that hashes passwords. glibc returns freed blocks to the system at once from a certain
 * size, and raises that size when a larger block is freed. It then keeps a hash's 19 MiB in each of the sixteen
 * threads that make hashes: 350 MiB after twenty sign-ins. Once the size is set, glibc no longer changes it; the
 * second value has glibc's own ratio to the first (mallopt(3)). Other allocators ignore both.
 */
export const ALLOCATOR_SETTINGS: Readonly<Record<string, string>> = {
  MALLOC_MMAP_THRESHOLD_: String(MIB),
  MALLOC_TRIM_THRESHOLD_: String(2 * MIB),
};
