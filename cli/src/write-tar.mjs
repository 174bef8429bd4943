const BLOCK = 512;

/**
 * Returns a ustar archive of contents named by their hash, which fits the header's name field.
 * @param {readonly { name: string, content: Buffer }[]} entries
 * @returns {Buffer}
 */
export function writeTar(entries) {
  const parts = [];
  for (const { name, content } of entries) {
    const padding = (BLOCK - (content.length % BLOCK)) % BLOCK;
    parts.push(header(name, content.length), content, Buffer.alloc(padding));
  }
  parts.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(parts);
}

/**
 * @param {string} name
 * @param {number} size
 */
function header(name, size) {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100, 'utf8');
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\0' + '00', 257);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
