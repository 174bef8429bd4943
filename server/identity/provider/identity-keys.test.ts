import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { loadIdentityKeys } from './identity-keys.ts';

describe('the keys of the identity service', () => {
  it('are created once, also by nodes that start at the same time', async () => {
    const app = await createTestApp();
    const sets = await Promise.all([1, 2, 3].map(() => loadIdentityKeys(app)));
    expect(new Set(sets.map((keys) => JSON.stringify(keys))).size).toBe(1);
    expect(await loadIdentityKeys(app)).toEqual(sets[0]);
    expect(sets[0]?.jwks.keys[0]).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
  });

  it('are sealed in the database', async () => {
    const app = await createTestApp();
    const { jwks, cookie_keys } = await loadIdentityKeys(app);
    const stored = JSON.stringify(await app.db.selectFrom('installation_values').selectAll().execute());
    expect(stored).not.toContain(jwks.keys[0]?.d);
    expect(stored).not.toContain(cookie_keys[0]);
  });
});
