import { execFileSync } from 'node:child_process';
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createSealer } from '#server/secrets/sealer.ts';
import { makeCertificateRequest, makeOrderKey } from '#server/services/certificates/issuing/order-key.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { ensureDebianPackages } from '#tests/support/runner/debian-packages.ts';
import { DAY_MS } from '../durations.ts';
import { isLocalAuthority, openLocalAuthority } from './local-authority.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const open = (app: TestApp) => openLocalAuthority({ ...app, productName: 'Rivers' });

async function issue(authority: Awaited<ReturnType<typeof open>>, names: readonly string[]) {
  const key = await makeOrderKey();
  const url = await authority.openOrder(names, null);
  await authority.finalize(url, await makeCertificateRequest(key, names[0] ?? ''));
  expect(await authority.readOrder(url)).toMatchObject({ status: 'valid' });
  return { key, chain: await authority.download(url) };
}

/** What OpenSSL says about files in a temporary folder. */
async function verify(files: Record<string, string>, args: readonly string[]): Promise<string> {
  ensureDebianPackages(['openssl']);
  const folder = await mkdtemp(join(tmpdir(), 'portage-openssl-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return execFileSync('openssl', args, { cwd: folder, encoding: 'utf8' });
}

describe('the authority of this installation', () => {
  it('issues what OpenSSL accepts as a server certificate for each of its names', async () => {
    const app = await createTestApp();
    const authority = await open(app);
    const { chain } = await issue(authority, ['*.sites.localhost', 'shop.localhost']);
    const files = { 'root.pem': authority.rootCertificate, 'leaf.pem': chain };
    const at = String(Math.floor(app.clock.now() / 1000));
    for (const name of ['blog.sites.localhost', 'shop.localhost']) {
      const args = ['verify', '-x509_strict', '-purpose', 'sslserver', '-attime', at];
      const said = await verify(files, [
        ...args,
        '-verify_hostname',
        name,
        '-CAfile',
        'root.pem',
        'leaf.pem',
      ]);
      expect(said).toBe('leaf.pem: OK\n');
    }
  });

  it('has one root on all nodes, however many start at once, and keeps it', async () => {
    const app = await createTestApp();
    await app.db.deleteFrom('installation_values').where('name', '=', 'local-authority').execute();
    const nodes = await Promise.all([open(app), open(app), open(app)]);
    const roots = nodes.map(({ rootCertificate }) => rootCertificate);
    expect(new Set(roots).size).toBe(1);
    expect((await open(app)).rootCertificate).toBe(roots[0]);
    for (const node of nodes) {
      const leaf = new X509Certificate((await issue(node, ['shop.localhost'])).chain);
      expect(leaf.verify(new X509Certificate(roots[0] ?? '').publicKey)).toBe(true);
    }
  });

  it('keeps the root’s key sealed: another master key does not open it', async () => {
    const app = await createTestApp();
    await open(app);
    const row = await app.db
      .selectFrom('installation_values')
      .select('value')
      .where('name', '=', 'local-authority')
      .executeTakeFirstOrThrow();
    expect(row.value).not.toMatch(/PRIVATE KEY|BEGIN/);
    const stranger = { ...app, sealer: createSealer(randomBytes(32)) };
    await expect(openLocalAuthority({ ...stranger, productName: 'Rivers' })).rejects.toThrow();
  });

  it('signs only requests that are signed by their own key', async () => {
    const app = await createTestApp();
    const authority = await open(app);
    const request = await makeCertificateRequest(await makeOrderKey(), 'shop.localhost');
    const lines = request.trim().split('\n');
    const body = Buffer.from(lines.slice(1, -1).join(''), 'base64');
    // The signature is at the end.
    body.writeUInt8(body.readUInt8(body.length - 3) ^ 1, body.length - 3);
    const forged = [lines[0], body.toString('base64'), lines.at(-1)].join('\n');
    const url = await authority.openOrder(['shop.localhost'], null);
    await expect(authority.finalize(url, forged)).rejects.toMatchObject({ kind: 'refused' });
    await expect(authority.finalize(url, 'no request')).rejects.toMatchObject({ kind: 'refused' });
    await expect(authority.download(url)).rejects.toMatchObject({ kind: 'refused' });
    expect(await authority.readOrder(url)).toMatchObject({ status: 'ready' });
  });

  it('certifies the names that were ordered, whatever the request says', async () => {
    const app = await createTestApp();
    const authority = await open(app);
    const url = await authority.openOrder(['shop.localhost'], null);
    await authority.finalize(url, await makeCertificateRequest(await makeOrderKey(), 'bank.example.ca'));
    const leaf = new X509Certificate(await authority.download(url));
    expect(leaf.subjectAltName).toBe('DNS:shop.localhost');
  });

  it('loses its orders with its process: they are gone, not refused', async () => {
    const app = await createTestApp();
    const authority = await open(app);
    for (const ask of [authority.readOrder, authority.download, authority.answerChallenges]) {
      await expect(ask('local:unknown')).rejects.toMatchObject({ kind: 'gone' });
    }
    expect(isLocalAuthority(authority)).toBe(true);
  });

  it('wants its certificates renewed when a third of their lifetime is left', async () => {
    const app = await createTestApp();
    const authority = await open(app);
    const { chain } = await issue(authority, ['shop.localhost']);
    const { validToDate, validFromDate } = new X509Certificate(chain);
    const window = await authority.findRenewalWindow(chain);
    const third = (validToDate.getTime() - validFromDate.getTime()) / 3;
    expect(window?.start).toBe(validToDate.getTime() - third);
    expect(window?.askAgainAt).toBe(app.clock.now() + DAY_MS);
  });
});
