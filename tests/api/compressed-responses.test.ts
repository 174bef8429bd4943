import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createSite } from '#server/services/sites/create-site.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

/** Enough for their list to be a long response. */
const SITES = 60;

interface Answer {
  status: number;
  /** As sent: fetch would decompress it. */
  bytes: Buffer;
  header(name: string): string | undefined;
}

async function prepare() {
  const { app, baseUrl } = await startConsoleServer();
  const person = await createTestPerson(app);
  for (let count = 0; count < SITES; count += 1) await createSite(person.context, { name: `Site ${count}` });
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Answer>((resolve, reject) => {
      const cookie = person.sessionCookie;
      const asked = request(`${baseUrl}${path}`, { method, headers: { cookie, ...headers } }, (response) => {
        const { statusCode: status = 0 } = response;
        const header = (name: string) => response.headers[name]?.toString();
        buffer(response).then((bytes) => resolve({ status, bytes, header }), reject);
      });
      asked.on('error', reject).end();
    });
  const input = { json: { organization_id: person.organization.id, limit: SITES } };
  const query = encodeURIComponent(JSON.stringify(input));
  return { ask, rest: `/api/v1/sites?limit=${SITES}`, trpc: `/api/trpc/sites.list?input=${query}` };
}

describe('a long response to a read', () => {
  it('is compressed as its client prefers, with the same text', async () => {
    const { ask, rest, trpc } = await prepare();
    for (const path of [rest, trpc]) {
      const plain = await ask(path);
      expect(plain.header('content-encoding'), path).toBeUndefined();
      expect(plain.header('vary'), path).toContain('accept-encoding');
      const brotli = await ask(path, { 'accept-encoding': 'gzip, deflate, br' });
      expect(brotli.header('content-encoding'), path).toBe('br');
      expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes), path).toBe(true);
      const gzip = await ask(path, { 'accept-encoding': 'gzip, br;q=0' });
      expect(gzip.header('content-encoding'), path).toBe('gzip');
      expect(gunzipSync(gzip.bytes).equals(plain.bytes), path).toBe(true);
      for (const { bytes, header } of [plain, brotli, gzip]) {
        expect(header('content-length'), path).toBe(String(bytes.length));
      }
      expect(gzip.bytes.length).toBeLessThan(plain.bytes.length / 4);
      const head = await ask(path, { 'accept-encoding': 'br' }, 'HEAD');
      expect(head.bytes).toHaveLength(0);
    }
  });

  it('is not sent again to a client that has it, in whatever encoding', async () => {
    const { ask, rest } = await prepare();
    const plain = await ask(rest);
    const compressed = await ask(rest, { 'accept-encoding': 'br' });
    expect(compressed.header('etag')).toBe(`W/${plain.header('etag')}`);
    for (const tag of [plain.header('etag'), compressed.header('etag')]) {
      for (const encoding of ['identity', 'br']) {
        const again = await ask(rest, { 'if-none-match': tag ?? '', 'accept-encoding': encoding });
        expect([again.status, again.bytes.length]).toEqual([304, 0]);
      }
    }
  });
});

it('a short response is sent uncompressed', async () => {
  const { ask } = await prepare();
  for (const path of ['/api/v1/user', '/api/trpc/user.me']) {
    const response = await ask(path, { 'accept-encoding': 'gzip, br' });
    expect([response.status, response.header('content-encoding')]).toEqual([200, undefined]);
  }
});
