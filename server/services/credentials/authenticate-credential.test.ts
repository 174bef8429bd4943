import { describe, expect, it } from 'vitest';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createSite } from '../sites/create-site.ts';
import { authenticateCredential } from './authenticate-credential.ts';
import { createCredential } from './create-credential.ts';
import { deleteCredential } from './delete-credential.ts';
import { getCredential } from './get-credential.ts';
import { updateScopes } from './update-scopes.ts';

async function withCredential(options: { expires_at?: string } = {}) {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const scopes = [{ resource_type: 'site' as const, resource_id: site.id, permissions: ['read' as const] }];
  const created = await createCredential(context, { name: 'CI', scopes, ...options });
  const presented = {
    publicKey: created.credential.public_key,
    secretKey: created.secret_key,
    address: '192.0.2.7',
  };
  return { app, context, site, scopes, id: created.credential.id, presented };
}

const unknownKey = (number: number) => `ptgpk_${String(number).padStart(20, '0')}`;

describe('authenticateCredential', () => {
  it('returns the actor with its organization and scopes', async () => {
    const { app, context, scopes, id, presented } = await withCredential();
    expect(await authenticateCredential(app, presented)).toEqual({
      kind: 'credential',
      mayPublish: true,
      mayCreateBuckets: false,
      credentialId: id,
      name: 'CI',
      organizationId: context.organization.id,
      scopes,
    });
  });

  it('refuses a wrong secret, another credential’s secret and an unknown key in the same way', async () => {
    const { app, context, presented } = await withCredential();
    const other = await createCredential(context, { name: 'other' });
    for (const wrong of [
      { ...presented, secretKey: `${presented.secretKey}x` },
      { ...presented, secretKey: other.secret_key },
      { ...presented, secretKey: '' },
      { ...presented, publicKey: unknownKey(0) },
      { ...presented, publicKey: presented.publicKey.toUpperCase() },
    ]) {
      await expect(authenticateCredential(app, wrong)).rejects.toMatchObject({ code: 'credential_invalid' });
    }
  });

  it('refuses an expired one from that moment on, and an inactive one', async () => {
    const { app, id, presented } = await withCredential({ expires_at: '2026-03-01T12:01:00Z' });
    app.clock.advance(59_999);
    await expect(authenticateCredential(app, presented)).resolves.toMatchObject({ credentialId: id });
    await app.db.updateTable('credentials').set({ is_active: 0 }).where('id', '=', id).execute();
    await expect(authenticateCredential(app, presented)).rejects.toMatchObject({
      code: 'credential_invalid',
    });
    await app.db.updateTable('credentials').set({ is_active: 1 }).where('id', '=', id).execute();
    app.clock.advance(1);
    await expect(authenticateCredential(app, presented)).rejects.toMatchObject({
      code: 'credential_invalid',
    });
  });

  it('applies new scopes and a deletion to the next request', async () => {
    const { app, context, id, presented } = await withCredential();
    await updateScopes(context, { credential_id: id, scopes: [] });
    expect(await authenticateCredential(app, presented)).toMatchObject({ scopes: [] });
    await deleteCredential(context, { credential_id: id });
    await expect(authenticateCredential(app, presented)).rejects.toMatchObject({
      code: 'credential_invalid',
    });
  });

  it('notes its last use at most once a minute', async () => {
    const { app, context, id, presented } = await withCredential();
    const lastUsed = async () => (await getCredential(context, { credential_id: id })).last_used_at;
    await authenticateCredential(app, presented);
    expect(await lastUsed()).toBe('2026-03-01T12:00:00.000Z');
    app.clock.advance(59_999);
    await authenticateCredential(app, presented);
    expect(await lastUsed()).toBe('2026-03-01T12:00:00.000Z');
    app.clock.advance(1);
    await authenticateCredential(app, presented);
    expect(await lastUsed()).toBe('2026-03-01T12:01:00.000Z');
  });

  it('stops an address that keeps failing with a key, without locking the key for others', async () => {
    const { app, presented } = await withCredential();
    app.rateLimits = createRateLimits({ credential_failure_key: { points: 2, seconds: 60 } });
    const wrong = { ...presented, secretKey: 'wrong' };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(authenticateCredential(app, wrong)).rejects.toMatchObject({ code: 'credential_invalid' });
    }
    await expect(authenticateCredential(app, presented)).rejects.toMatchObject({ code: 'too_many_requests' });
    const elsewhere = { ...presented, address: '192.0.2.8' };
    await expect(authenticateCredential(app, elsewhere)).resolves.toMatchObject({ kind: 'credential' });
  });

  it('stops an address that tries many keys', async () => {
    const { app, presented } = await withCredential();
    app.rateLimits = createRateLimits({ credential_failure_address: { points: 3, seconds: 60 } });
    const codes: string[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const guess = { ...presented, publicKey: unknownKey(attempt) };
      await authenticateCredential(app, guess).catch((error) => codes.push(error.code));
    }
    expect(codes).toEqual([
      'credential_invalid',
      'credential_invalid',
      'credential_invalid',
      'too_many_requests',
    ]);
  });

  it('stops querying the database for an address that failed too often, and never queries for invalid keys', async () => {
    const { app, presented } = await withCredential();
    app.rateLimits = createRateLimits({ credential_failure_address: { points: 3, seconds: 60 } });
    let looks = 0;
    const executor = app.db.getExecutor();
    const executeQuery = executor.executeQuery.bind(executor);
    executor.executeQuery = (...query) => {
      looks += 1;
      return executeQuery(...query);
    };
    const codeOf = (publicKey: string) =>
      authenticateCredential(app, { ...presented, publicKey }).catch((error) => error.code);
    for (const malformed of ['x', `${presented.publicKey}${'x'.repeat(10_000)}`]) {
      expect(await codeOf(malformed)).toBe('credential_invalid');
    }
    expect(looks).toBe(0);
    expect(await codeOf(unknownKey(1))).toBe('credential_invalid');
    expect(looks).toBe(1);
    for (const key of [unknownKey(2), unknownKey(3), 'x'])
      expect(await codeOf(key)).toBe('too_many_requests');
    expect(looks).toBe(1);
  });

  it('accepts a credential that was valid from an address before, whatever others there send', async () => {
    const { app, presented } = await withCredential();
    await authenticateCredential(app, presented);
    for (let attempt = 0; attempt < 80; attempt += 1) {
      await authenticateCredential(app, { ...presented, publicKey: unknownKey(attempt) }).catch(() => null);
    }
    await expect(authenticateCredential(app, presented)).resolves.toMatchObject({ kind: 'credential' });
    const wrong = authenticateCredential(app, { ...presented, secretKey: 'wrong' });
    await expect(wrong).rejects.toMatchObject({ code: 'too_many_requests' });
  });
});
