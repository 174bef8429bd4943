const BLOCK_BYTES = 512;
/** Sizes in a ustar header have eleven octal digits. */
const ENTRY_BYTES_MAX = 8 ** 11 - 1;

/**
 * One file of an archive; names are short ASCII (a SHA-256), so that no extension of the format is needed.
 */
export interface TarFile {
  name: string;
  content: Blob;
}

/**
 * Returns a tar archive (POSIX ustar) of these files. The contents are referenced, not read: the browser
 * streams them from the disk when the archive is sent.
 */
export function writeTar(files: readonly TarFile[]): Blob {
  const parts: BlobPart[] = [];
  for (const { name, content } of files) {
    parts.push(tarHeader(name, content.size), content);
    const overhang = content.size % BLOCK_BYTES;
    if (overhang > 0) parts.push(new Uint8Array(BLOCK_BYTES - overhang));
  }
  parts.push(new Uint8Array(2 * BLOCK_BYTES));
  return new Blob(parts, { type: 'application/x-tar' });
}

function tarHeader(name: string, size: number): Uint8Array<ArrayBuffer> {
  if (!/^[\x21-\x7e]{1,100}$/.test(name) || size > ENTRY_BYTES_MAX)
    throw new RangeError(`no tar header for ${name}`);
  const header = new Uint8Array(BLOCK_BYTES);
  const put = (offset: number, text: string) => header.set(new TextEncoder().encode(text), offset);
  put(0, name);
  put(100, '0000644\0');
  put(108, '0000000\0');
  put(116, '0000000\0');
  put(124, `${size.toString(8).padStart(11, '0')}\0`);
  put(136, '00000000000\0');
  // The checksum counts its own field as spaces.
  put(148, ' '.repeat(8));
  put(156, '0');
  put(257, 'ustar\u000000');
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  put(148, `${checksum.toString(8).padStart(6, '0')}\0 `);
  return header;
}
