import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** What was just built is in the memory of the system, where reading it at once takes a sixth of the time. */
const AT_ONCE_BYTES_MAX = 64 * 1024;

/**
 * Returns the content of a file that fits into memory.
 * @param {{ source: string, size: number }} file
 * @returns {Promise<Buffer>}
 */
export async function readSmallFile({ source, size }) {
  return size <= AT_ONCE_BYTES_MAX ? readFileSync(source) : readFile(source);
}
