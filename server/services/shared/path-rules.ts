/**
 * The longest path of a file that is taken or counted, in bytes of UTF-8. An index of PostgreSQL has room for 2,704
 * bytes; no address of a file comes near.
 */
export const PATH_BYTES_MAX = 1024;
