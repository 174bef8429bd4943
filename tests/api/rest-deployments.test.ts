import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createSite } from '#server/services/sites/create-site.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { credentialClient, listOf, objectOf, type RestClient } from '#tests/support/client/rest-client.ts';
import { packTar, unpackTarGz } from '#tests/support/pack-tar.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

type Files = Record<string, string | Buffer>;

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function manifestOf(files: Files) {
  return Object.fromEntries(
    Object.entries(files).map(([path, content]) => [
      path,
      { sha256: sha256(content), size: Buffer.byteLength(content) },
    ]),
  );
}

async function withSite() {
  const { app, baseUrl } = await startConsoleServer();
  const person = await createTestPerson(app);
  const site = await createSite(person.context, { name: 'blog' });
  const credential = await credentialClient(baseUrl, person.context, [site.id]);
  return { app, baseUrl, person, site, base: `/api/v1/sites/${site.id}`, ...credential };
}

async function open(client: RestClient, base: string, files: Files) {
  const response = await client('POST', `${base}/versions`, { json: { files: manifestOf(files) } });
  const opened = objectOf(response);
  return { answer: response, opened, version: `${base}/versions/${opened.id}` };
}

describe('a deploy in steps', () => {
  it('lists what is missing, accepts it individually and in a batch, seals, and returns everything', async () => {
    const { client, base } = await withSite();
    const files = { 'index.html': '<h1>1</h1>', 'a.css': 'a{}', 'copy.css': 'a{}', 'empty.txt': '' };
    const { answer: response, opened, version } = await open(client, base, files);
    expect(response.status).toBe(201);
    const hashes = ['<h1>1</h1>', 'a{}', ''].map(sha256);
    expect(new Set(opened.missing as string[])).toEqual(new Set(hashes));

    const early = await client('POST', `${version}/seal`);
    expect([early.status, objectOf(early).code]).toEqual([409, 'version_incomplete']);
    const put = await client('PUT', `${version}/blobs/${sha256('a{}')}`, { body: 'a{}' });
    expect([put.status, objectOf(put).size]).toEqual([200, 3]);
    expect(objectOf(await client('GET', `${version}/missing`)).missing).toHaveLength(2);
    const tar = await packTar({ [sha256('<h1>1</h1>')]: '<h1>1</h1>', [sha256('')]: '' });
    const headers = { 'content-type': 'application/x-tar' };
    const batch = await client('POST', `${version}/blobs`, { body: tar, headers });
    expect([batch.status, objectOf(batch)]).toEqual([200, { received: 2, missing_count: 0 }]);

    const sealed = await client('POST', `${version}/seal`, { json: {} });
    expect(sealed.status).toBe(200);
    expect(objectOf(sealed)).toMatchObject({ added: 4, is_published: true, file_count: 4 });
    expect(objectOf(await client('GET', version))).toMatchObject({ is_current: true, created_by: 'CI' });
    const listed = listOf(await client('GET', `${version}/files?limit=3`));
    expect(listed.map((file) => file.path)).toEqual(['a.css', 'copy.css', 'empty.txt']);

    const again = await client('PUT', `${version}/blobs/${sha256('a{}')}`, { body: 'a{}' });
    expect([again.status, objectOf(again).code]).toEqual([409, 'version_sealed']);
    expect((await client('DELETE', version)).status).toBe(409);
  });

  it('can be discarded while open', async () => {
    const { client, base } = await withSite();
    const { version } = await open(client, base, { 'index.html': 'x' });
    expect((await client('DELETE', version)).status).toBe(204);
    expect((await client('GET', version)).status).toBe(404);
  });

  it('rejects content that differs from the manifest, and names the file', async () => {
    const { client, base } = await withSite();
    const { version } = await open(client, base, { 'index.html': 'right', 'big.bin': randomBytes(300_000) });
    const wrong = await client('PUT', `${version}/blobs/${sha256('right')}`, { body: 'wrong' });
    expect(wrong.status).toBe(400);
    expect(objectOf(wrong)).toMatchObject({ code: 'hash_mismatch', params: { path: 'index.html' } });
    const long = await client('PUT', `${version}/blobs/${sha256('right')}`, { body: randomBytes(5_000_000) });
    expect([long.status, objectOf(long).code]).toEqual([400, 'size_mismatch']);
    const foreign = await client('PUT', `${version}/blobs/${sha256('foreign')}`, { body: 'foreign' });
    expect([foreign.status, objectOf(foreign).code]).toEqual([400, 'blob_not_expected']);
    const noTar = await client('POST', `${version}/blobs`, {
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    expect(noTar.status).toBe(415);
    expect((await client('PUT', `${version}/blobs/nonsense`, { body: 'x' })).status).toBe(404);
  });

  it('accepts a manifest of 20,000 files in one request', async () => {
    const { client, base } = await withSite();
    const content = sha256('same');
    const files = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [
        `assets/some/folder/with-a-long-name/chunk-${index}.js`,
        { sha256: content, size: 4 },
      ]),
    );
    const response = await client('POST', `${base}/versions`, { json: { files } });
    expect([response.status, objectOf(response).missing]).toEqual([201, [content]]);
  });

  it('rejects a part of a manifest that would take long to parse', async () => {
    const { client, base } = await withSite();
    const { id } = objectOf(await client('POST', `${base}/versions`, { json: {} }));
    const entry = { sha256: sha256('same'), size: 4 };
    const files = Object.fromEntries(Array.from({ length: 12_000 }, (_, index) => [`${index}.txt`, entry]));
    const response = await client('PUT', `${base}/versions/${id}/files`, { json: { files } });
    expect(response.status).toBe(413);
    expect(objectOf(response)).toMatchObject({ code: 'limit_body_bytes', params: { limit: 1024 ** 2 } });
  });

  it('leaves nothing broken when a client disconnects in the middle', async () => {
    const { baseUrl, client, base, authorization } = await withSite();
    const content = randomBytes(3_000_000);
    const { version } = await open(client, base, { 'big.bin': content });
    const address = new URL(`${version}/blobs/${sha256(content)}`, baseUrl);
    const closed = new Promise<void>((resolve) => {
      const upload = httpRequest(address, {
        method: 'PUT',
        headers: { authorization, 'content-length': content.length },
      });
      upload.on('error', () => undefined);
      upload.on('close', resolve);
      upload.write(content.subarray(0, 1_000_000), () => upload.destroy());
    });
    await closed;
    expect(objectOf(await client('GET', `${version}/missing`)).missing).toEqual([sha256(content)]);
    expect((await client('PUT', `${version}/blobs/${sha256(content)}`, { body: content })).status).toBe(200);
    expect((await client('POST', `${version}/seal`)).status).toBe(200);
  });
});

describe('an archive in one request', () => {
  it('is deployed, and the version is downloaded as an archive with the same files', async () => {
    const { client, base } = await withSite();
    const files = { 'index.html': '<h1>1</h1>', 'assets/a.css': 'a{}' };
    const headers = { 'content-type': 'application/x-tar' };
    const deployed = await client('POST', `${base}/versions?message=by%20hand&publish=false`, {
      body: await packTar(files),
      headers,
    });
    expect(deployed.status).toBe(201);
    expect(objectOf(deployed)).toMatchObject({ added: 2, is_published: false });
    const version = `${base}/versions/${objectOf(deployed).version_id}`;
    expect(objectOf(await client('GET', version))).toMatchObject({ message: 'by hand', is_current: false });
    const archive = await client('GET', `${version}/archive.tar.gz`);
    expect(archive.status).toBe(200);
    expect(archive.headers.get('content-disposition')).toBe('attachment; filename="blog-v1.tar.gz"');
    expect(await unpackTarGz(archive.bytes)).toEqual(files);
    const known = { 'if-none-match': String(archive.headers.get('etag')) };
    expect((await client('GET', `${version}/archive.tar.gz`, { headers: known })).status).toBe(304);
    expect((await client('HEAD', `${version}/archive.tar.gz`)).text).toBe('');

    const again = await client('POST', `${base}/versions`, {
      body: archive.bytes,
      headers: { 'content-type': 'application/gzip' },
    });
    expect(objectOf(again)).toMatchObject({ is_published: true, file_count: 2 });
  });

  it('is rejected as a whole when it is invalid, and the response says what is accepted', async () => {
    const { client, base } = await withSite();
    const unclear = await client('POST', `${base}/versions?publish=yes`, {
      body: 'no archive at all',
      headers: { 'content-type': 'application/zip' },
    });
    expect([unclear.status, objectOf(unclear).detail]).toEqual([
      400,
      'The request is not valid: publish: must be true or false.',
    ]);
    const broken = await client('POST', `${base}/versions`, {
      body: 'no archive at all',
      headers: { 'content-type': 'application/zip' },
    });
    expect([broken.status, objectOf(broken).code]).toEqual([400, 'archive_invalid']);
    const other = await client('POST', `${base}/versions`, {
      body: 'x',
      headers: { 'content-type': 'text/css' },
    });
    expect(other.status).toBe(415);
    expect(String(objectOf(other).detail)).toContain('application/zip');
    expect(listOf(await client('GET', `${base}/versions`))).toEqual([]);
  });
});

describe('rollback', () => {
  it('makes an earlier version current and rejects reverted and current ones', async () => {
    const { client, base } = await withSite();
    const ids: unknown[] = [];
    for (const text of ['one', 'two', 'three']) {
      const { opened, version } = await open(client, base, { 'index.html': text });
      await client('PUT', `${version}/blobs/${sha256(text)}`, { body: text });
      await client('POST', `${version}/seal`);
      ids.push(opened.id);
    }
    const back = await client('POST', `${base}/rollback`, { json: { version_id: ids[0] } });
    expect(back.status).toBe(200);
    expect(objectOf(back)).toMatchObject({ reverted: 2, version: { id: ids[0], is_current: true } });
    const versions = listOf(await client('GET', `${base}/versions`));
    expect(
      versions.map((version) => [version.number, version.is_current, version.reverted_at !== null]),
    ).toEqual([
      [3, false, true],
      [2, false, true],
      [1, true, false],
    ]);
    for (const [id, code] of [
      [ids[0], 'version_is_current'],
      [ids[2], 'version_reverted'],
      ['unknown', 'version_not_found'],
    ]) {
      expect(objectOf(await client('POST', `${base}/rollback`, { json: { version_id: id } }))).toMatchObject({
        code,
      });
    }
  });
});

describe('an archive with an Idempotency-Key', () => {
  const pages = (mark: string) => ({ 'index.html': `<h1>${mark}</h1>`, 'a.css': 'a{}' });

  async function withArchive() {
    const world = await withSite();
    const send = async (
      body: BodyInit | Buffer<ArrayBuffer>,
      { key = 'release-7', headers = {} }: { key?: string; headers?: Record<string, string> } = {},
    ) =>
      world.client('POST', `${world.base}/versions`, {
        body,
        headers: { 'content-type': 'application/x-tar', 'idempotency-key': key, ...headers },
      });
    const versions = async () => listOf(await world.client('GET', `${world.base}/versions`)).length;
    return { ...world, send, versions };
  }

  it('is deployed once; another one of the same type and length is rejected and not mistaken for it', async () => {
    const { send, versions } = await withArchive();
    const first = await packTar(pages('one'));
    const other = await packTar(pages('two'));
    expect(other.length).toBe(first.length);
    const deployed = await send(first);
    const again = await send(first);
    expect([deployed.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(deployed.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    for (const different of [other, Buffer.concat([first, Buffer.alloc(512)]), first.subarray(0, 700)]) {
      const refused = await send(different);
      expect([refused.status, objectOf(refused).code]).toEqual([409, 'idempotency_key_reused']);
    }
    expect(await versions()).toBe(1);
    expect((await send(other, { key: 'release-8' })).status).toBe(201);
    expect(await versions()).toBe(2);
  });

  it('is the same one in however many pieces it arrives, and whatever follows its end', async () => {
    const { send, versions } = await withArchive();
    const archive = Buffer.concat([await packTar(pages('one')), Buffer.alloc(512 * 600)]);
    const inPieces = (size: number) => {
      let at = 0;
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          if (at >= archive.length) return controller.close();
          controller.enqueue(archive.subarray(at, at + size));
          at += size;
        },
      });
    };
    const responses = [await send(inPieces(1000)), await send(inPieces(70_000)), await send(archive)];
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    const changed = Buffer.from(archive);
    changed[changed.length - 1] = 2;
    expect((await send(changed)).status).toBe(409);
    expect(await versions()).toBe(1);
  });
});
