import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createWaitingInteractions, type InteractionBounds } from './waiting-interactions.ts';

const SECONDS = 3600;

async function prepare(bounds: Partial<InteractionBounds> = {}) {
  const app = await createTestApp();
  const waiting = createWaitingInteractions(app, {
    ...{ max: 20, scarceFrom: 10, countedEvery: 1, droppedAtOnce: 500 },
    ...bounds,
  });
  /** Begins one as the provider does; what was begun earlier ends earlier. */
  const begin = (id: string, expiresIn = SECONDS) => waiting.adapter.upsert(id, { uid: id }, expiresIn);
  const find = (id: string) => waiting.adapter.find(id);
  return { app, waiting, begin, find };
}

describe('interactions that wait for an answer', () => {
  it('are bounded: beyond that the oldest make room', async () => {
    const { app, begin, find } = await prepare();
    for (let n = 0; n < 60; n += 1) await begin(`flood ${n}`, SECONDS + n);
    await begin('a person', SECONDS + 60);
    const rows = await app.db.selectFrom('identity_payloads').select('id').execute();
    expect(rows.length).toBeLessThanOrEqual(21);
    for (const id of ['a person', 'flood 59']) expect(await find(id), id).toBeDefined();
    expect(await find('flood 0')).toBeUndefined();
  });

  it('are dropped a few at a time, and nothing else is', async () => {
    const { app, begin } = await prepare({ droppedAtOnce: 2 });
    for (let n = 0; n < 20; n += 1) await begin(`${n}`);
    const [row] = await app.db.selectFrom('identity_payloads').selectAll().limit(1).execute();
    if (!row) throw new Error('no interaction is stored');
    const others = Array.from({ length: 30 }, (_, n) => ({ ...row, id: `more ${n}` }));
    await app.db
      .insertInto('identity_payloads')
      .values([...others, { ...row, model: 'Session', expires_at: 1 }])
      .execute();
    const count = async () => (await app.db.selectFrom('identity_payloads').select('id').execute()).length;
    const before = await count();
    await begin('next');
    expect(await count()).toBe(before - 1);
    const sessions = app.db.selectFrom('identity_payloads').select('id').where('model', '=', 'Session');
    expect(await sessions.execute()).toHaveLength(1);
  });

  it('are refused when they are larger than any program needs', async () => {
    const { waiting } = await prepare();
    const begun = waiting.adapter.upsert('large', { params: { state: 's'.repeat(5000) } }, SECONDS);
    await expect(begun).rejects.toMatchObject({ error: 'invalid_request' });
  });

  it('may be begun a few times from each address while there are many, and without limit before', async () => {
    const { waiting, begin } = await prepare();
    const request = new IncomingMessage(new Socket());
    const begun = async (address: string) => {
      await waiting.admit(request, address);
      return true;
    };
    for (let n = 0; n < 40; n += 1) expect(await begun('192.0.2.1')).toBe(true);
    for (let n = 0; n < 12; n += 1) await begin(`${n}`);
    await expect(begun('192.0.2.1')).rejects.toMatchObject({ code: 'too_many_requests' });
    for (let n = 0; n < 30; n += 1) expect(await begun('192.0.2.2')).toBe(true);
    await expect(begun('192.0.2.2')).rejects.toMatchObject({ code: 'too_many_requests' });
  });
});
