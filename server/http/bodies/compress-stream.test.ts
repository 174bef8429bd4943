import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, createBrotliDecompress, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { compressStream } from './compress-stream.ts';

const PAGE = `<p>${'a page of some length '.repeat(500)}</p>`;

function ask(acceptEncoding?: string, method = 'GET'): Request {
  const headers: Record<string, string> = acceptEncoding ? { 'accept-encoding': acceptEncoding } : {};
  return new Request('http://localhost/', { method, headers });
}

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

it('a page is compressed as its reader prefers, and the same text', async () => {
  const brotli = compressStream(new Response(PAGE), ask('gzip, deflate, br'));
  expect([brotli.headers.get('content-encoding'), brotli.headers.get('vary')]).toEqual([
    'br',
    'accept-encoding',
  ]);
  const bytes = await bytesOf(brotli);
  expect(brotliDecompressSync(bytes).toString()).toBe(PAGE);
  expect(bytes.length).toBeLessThan(PAGE.length / 10);
  const gzip = compressStream(new Response(PAGE), ask('gzip'));
  expect(gunzipSync(await bytesOf(gzip)).toString()).toBe(PAGE);
  const plain = compressStream(new Response(PAGE, { status: 404 }), ask());
  expect([plain.status, plain.headers.get('content-encoding'), await plain.text()]).toEqual([
    404,
    null,
    PAGE,
  ]);
});

it('what has been rendered leaves before the rest is there', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const response = compressStream(new Response(readable), ask('br'));
  void writer.write(new TextEncoder().encode('the beginning'));
  const decompressor = createBrotliDecompress();
  const reader = response.body?.getReader();
  while (decompressor.readableLength === 0) {
    const part = await reader?.read();
    if (part?.value) await new Promise<void>((written) => decompressor.write(part.value, () => written()));
    await new Promise(setImmediate);
  }
  expect(String(decompressor.read())).toBe('the beginning');
  void writer.close();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    decompressor.write(part.value);
  decompressor.end();
  expect(String(await buffer(decompressor))).toBe('');
});

it('a reader who leaves ends what is rendered for them', async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(PAGE)),
    cancel: () => {
      isCancelled = true;
    },
  });
  const response = compressStream(new Response(body), ask('br'));
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await expect.poll(() => isCancelled).toBe(true);
});
