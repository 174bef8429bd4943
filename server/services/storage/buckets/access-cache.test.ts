import { expect, it, vi } from 'vitest';
import { currentAsker, runForAsker } from '#db/asker.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createCredential } from '../../credentials/create-credential.ts';
import { AccessCache } from './access-cache.ts';

async function withKey() {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const { credential } = await createCredential(context, { name: 'CI', scopes: [] });
  const executor = app.db.getExecutor();
  const provide = executor.provideConnection.bind(executor);
  const askers: (string | null)[] = [];
  vi.spyOn(executor, 'provideConnection').mockImplementation((consumer) => {
    askers.push(currentAsker());
    return provide(consumer);
  });
  const takeAskers = () => [...new Set(askers.splice(0))];
  return { app, organizationId: context.organization.id, key: credential.public_key, takeAskers };
}

const madeUpKey = (number: number) => `ptgpk_${String(number).padStart(20, '0')}`;

it('looks a key up for its client first and then for its organization, and a made-up one always for its client', async () => {
  const { app, organizationId, key, takeAskers } = await withKey();
  const accesses = new AccessCache(app);
  const find = (accessKeyId: string) => runForAsker('192.0.2.1', () => accesses.find(accessKeyId));
  for (const asker of ['192.0.2.1', organizationId, organizationId]) {
    expect((await find(key))?.ownerId).toBe(organizationId);
    expect(takeAskers()).toEqual([asker]);
    await find(key);
    expect(takeAskers()).toEqual([]);
    expect(await find(madeUpKey(1))).toBeNull();
    expect(takeAskers()).toEqual(['192.0.2.1']);
    app.clock.advance(2_000);
  }
});

it('keeps a valid key however many made-up ones are presented', async () => {
  const { app, key, takeAskers } = await withKey();
  const accesses = new AccessCache(app, 2);
  await accesses.find(key);
  for (let number = 0; number < 5; number += 1) await accesses.find(madeUpKey(number));
  takeAskers();
  await accesses.find(key);
  expect(takeAskers()).toEqual([]);
});
