import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createEndpoint } from '#server/services/cdn/create-endpoint.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { createTestPerson } from '#tests/support/test-person.ts';
import { issueDueCertificates } from './issue-due-certificates.ts';

describe('certificates that are due', () => {
  it('are issued: a hostname of this machine has one right after its endpoint', async () => {
    const app = await createTestApp();
    const person = await createTestPerson(app);
    await createEndpoint(person.context, {
      hostname: 'shop.localhost',
      origin_type: 'redirect',
      redirect_target: 'https://example.ca/',
    });
    const context = {
      app,
      actor: { kind: 'job', name: 'issue-certificates' },
      requestId: '',
      address: '',
    } as const;
    expect(await issueDueCertificates(context)).toEqual({ issued: 1, failed: 0, left: 0 });
    const row = await app.db.selectFrom('certificate_bundles').selectAll().executeTakeFirstOrThrow();
    const leaf = new X509Certificate(row.certificate ?? '');
    expect(leaf.checkHost('shop.localhost')).toBe('shop.localhost');
    expect(await app.db.selectFrom('certificate_orders').selectAll().execute()).toEqual([]);
  });
});
