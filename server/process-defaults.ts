/**
 * Decides what libraries read from the environment before any of them is loaded, so that this module is imported before
 * every other.
 *
 * - `NODE_ENV`: React's development build renders a page thirty times slower and is what an unset variable means.
 * - `UV_THREADPOOL_SIZE`: syncing and compressing files wait in libuv's thread pool, whose default of four makes a deploy of
 *   a thousand files queue behind itself. The pool is made at its first use.
 */
process.env.NODE_ENV ??= 'production';
process.env.UV_THREADPOOL_SIZE ??= '16';
