/**
 * Syncing files and compressing them wait in libuv's thread pool, whose default of four makes a deploy of a thousand files
 * queue behind itself. The pool is made at its first use, so this module is imported before every other.
 */
process.env.UV_THREADPOOL_SIZE ??= '16';
