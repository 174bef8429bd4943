import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { FakeAuthority } from '#tests/support/certificates/fake-authority.ts';
import { getRootCertificate } from './get-root-certificate.ts';

const anonymous = { actor: { kind: 'anonymous' }, requestId: '', address: '' } as const;

describe('the root certificate of this installation', () => {
  it('is available to anyone: a self-signed authority, without its key', async () => {
    const app = await createTestApp({ environment: { PRODUCT_NAME: 'Rivers' } });
    const pem = getRootCertificate({ app, ...anonymous });
    const root = new X509Certificate(pem);
    expect(root.subject).toBe('CN=Rivers local authority');
    expect(root.ca && root.checkIssued(root) && root.verify(root.publicKey)).toBe(true);
    expect(pem).not.toContain('PRIVATE KEY');
  });

  it('does not exist when an ACME server issues certificates', async () => {
    const app = await createTestApp({ authority: new FakeAuthority() });
    expect(() => getRootCertificate({ app, ...anonymous })).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
  });
});
