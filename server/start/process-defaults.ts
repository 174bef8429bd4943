/**
 * Decides what libraries take from the process before any of them is loaded, so that this module is imported before
 * every other.
 *
 * - `NODE_ENV`: React's development build renders a page thirty times slower and is what an unset variable means.
 * - `UV_THREADPOOL_SIZE`: syncing and compressing files wait in libuv's thread pool, whose default of four makes a deploy of
 *   a thousand files queue behind itself. The pool is made at its first use.
 * - the mask of new files: what the program makes is its own user's (0600, folders 0700), in whatever folder, whether a
 *   library makes it or we do.
 */
process.umask(0o077);
process.env.NODE_ENV ??= 'production';
process.env.UV_THREADPOOL_SIZE ??= '16';
