const MIB = 1024 ** 2;

/**
 * Environment of a process that hashes passwords. glibc raises the size from which it returns freed memory to
 * the system at once to that of what was freed, and then keeps a hash's 19 MiB in each of the sixteen threads
 * that may make one: 350 MiB after twenty sign-ins. Setting the size fixes it; the second value keeps glibc's
 * own ratio to it (mallopt(3)). Other allocators ignore both.
 */
export const ALLOCATOR_SETTINGS: Readonly<Record<string, string>> = {
  MALLOC_MMAP_THRESHOLD_: String(MIB),
  MALLOC_TRIM_THRESHOLD_: String(2 * MIB),
};
