import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { writeTar } from './write-tar.ts';

async function readBack(
  archive: Blob,
): Promise<{ name: string; type: string | null | undefined; text: string }[]> {
  const reader = extract();
  Readable.from([Buffer.from(await archive.arrayBuffer())]).pipe(reader);
  const found = [];
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(Buffer.from(chunk as Uint8Array));
    found.push({ name: entry.header.name, type: entry.header.type, text: Buffer.concat(chunks).toString() });
  }
  return found;
}

describe('writeTar', () => {
  it('makes archives that an independent reader reads back, whatever the sizes', async () => {
    const files = [0, 1, 511, 512, 513, 5000].map((size, index) => ({
      name: String(index).repeat(64),
      content: new Blob(['x'.repeat(size)]),
    }));
    const archive = writeTar(files);
    expect(archive.size % 512).toBe(0);
    expect(await readBack(archive)).toEqual(
      await Promise.all(
        files.map(async ({ name, content }) => ({ name, type: 'file', text: await content.text() })),
      ),
    );
  });

  it('refuses a name that a plain header cannot carry', () => {
    expect(() => writeTar([{ name: 'é', content: new Blob() }])).toThrow(RangeError);
    expect(() => writeTar([{ name: 'x'.repeat(101), content: new Blob() }])).toThrow(RangeError);
  });
});
