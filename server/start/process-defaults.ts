/**
 * Sets what libraries read from the process before any of them is loaded, so this module is imported before
 * every other.
 * - `NODE_ENV`: an unset variable means React's development build, which renders a page thirty times slower.
 * - `UV_THREADPOOL_SIZE`: syncing and compressing files wait in libuv's thread pool, whose default of four
 *   makes a deploy of a thousand files queue behind itself. The pool is created at its first use.
 * - the mask of new files: what the program creates is accessible only to its own user (0600, folders 0700),
 *   in any folder, whether a library creates it or we do.
 */
process.umask(0o077);
process.env.NODE_ENV ??= 'production';
process.env.UV_THREADPOOL_SIZE ??= '16';
