import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { buffer as collect } from 'node:stream/consumers';

/** What was just built is in the memory of the system, where reading it at once takes a sixth of the time. */
const AT_ONCE_BYTES_MAX = 64 * 1024;

/**
 * Returns the content of a file that fits into memory. If the file has grown since it was found, however large it is
 * now, one byte more than its size is returned.
 * @param {{ source: string, size: number }} file
 * @returns {Promise<Buffer>}
 */
export async function readSmallFile({ source, size }) {
  return size <= AT_ONCE_BYTES_MAX
    ? readAtOnce(source, size + 1)
    : collect(createReadStream(source, { end: size, highWaterMark: 512 * 1024 }));
}

/**
 * @param {string} source
 * @param {number} bytesMax
 */
function readAtOnce(source, bytesMax) {
  const content = Buffer.allocUnsafe(bytesMax);
  const file = openSync(source, 'r');
  try {
    let length = 0;
    while (length < bytesMax) {
      const read = readSync(file, content, length, bytesMax - length, null);
      if (read === 0) break;
      length += read;
    }
    return content.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
