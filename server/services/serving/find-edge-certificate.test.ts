import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '#server/durations.ts';
import { newId, newLabel } from '#server/ids.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { findSealedCertificate, openCertificate } from './find-edge-certificate.ts';

/** A bundle with a certificate, both of them only texts. */
async function addCertificate(app: TestApp, domainName: string, validUntil = app.clock.now() + HOUR_MS) {
  const now = app.clock.now();
  const id = newId(now);
  await app.db
    .insertInto('certificate_bundles')
    .values({
      id,
      organization_id: null,
      endpoint_id: null,
      domain_name: domainName,
      dns_challenge_id: newLabel(),
      next_check_at: now,
      certificate: `chain of ${domainName}`,
      private_key_sealed: app.sealer.seal(`key of ${domainName}`, id),
      serial_number: 's1',
      issued_at: now,
      valid_from: now,
      valid_until: validUntil,
      created_at: now,
      updated_at: now,
    })
    .execute();
  return id;
}

async function findEdgeCertificate(app: TestApp, hostname: string) {
  const sealed = await findSealedCertificate(app, hostname);
  return sealed && openCertificate(app, sealed);
}

describe('the certificate of a server name', () => {
  it("returns a name's own certificate with its key, and changes its id with the serial number", async () => {
    const app = await createTestApp();
    const id = await addCertificate(app, 'www.example.ca');
    expect(await findEdgeCertificate(app, 'www.example.ca')).toEqual({
      id: `${id} s1`,
      chain: 'chain of www.example.ca',
      privateKey: 'key of www.example.ca',
    });
    await app.db.updateTable('certificate_bundles').set({ serial_number: 's2' }).execute();
    expect((await findEdgeCertificate(app, 'www.example.ca'))?.id).toBe(`${id} s2`);
  });

  it('returns the wildcard of the parent for names one label below, and for no others', async () => {
    const app = await createTestApp();
    await addCertificate(app, '*.sites.localhost');
    const chainOf = async (name: string) => (await findEdgeCertificate(app, name))?.chain;
    expect(await chainOf('blog.sites.localhost')).toBe('chain of *.sites.localhost');
    expect(await chainOf('a.blog.sites.localhost')).toBeUndefined();
    expect(await chainOf('sites.localhost')).toBeUndefined();
    expect(await chainOf('localhost')).toBeUndefined();
  });

  it("prefers a name's own certificate, unless it has expired and the wildcard holds", async () => {
    const app = await createTestApp();
    await addCertificate(app, '*.example.ca', app.clock.now() + 2 * HOUR_MS);
    await addCertificate(app, 'www.example.ca');
    const chainOf = async () => (await findEdgeCertificate(app, 'www.example.ca'))?.chain;
    expect(await chainOf()).toBe('chain of www.example.ca');
    app.clock.advance(HOUR_MS);
    expect(await chainOf()).toBe('chain of *.example.ca');
    app.clock.advance(HOUR_MS);
    // Both have expired: its own is better than the other.
    expect(await chainOf()).toBe('chain of www.example.ca');
  });

  it('returns nothing for a bundle that has no certificate yet', async () => {
    const app = await createTestApp();
    await addCertificate(app, 'www.example.ca');
    await app.db.updateTable('certificate_bundles').set({ certificate: null }).execute();
    expect(await findEdgeCertificate(app, 'www.example.ca')).toBeNull();
  });

  it('throws for a key that was sealed for another bundle', async () => {
    const app = await createTestApp();
    await addCertificate(app, 'www.example.ca');
    const other = app.sealer.seal('key', 'another');
    await app.db.updateTable('certificate_bundles').set({ private_key_sealed: other }).execute();
    await expect(findEdgeCertificate(app, 'www.example.ca')).rejects.toThrow();
  });
});
