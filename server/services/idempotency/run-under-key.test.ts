import { describe, expect, it, vi } from 'vitest';
import type { RequestContext } from '#server/context.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { CLAIM_TAKEN_OVER_MS, RESPONSE_KEPT_MS } from './rules.ts';
import { runUnderKey } from './run-under-key.ts';

/** Runs requests that each make a numbered thing, and says how many were made. */
async function world() {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  let made = 0;
  const request = (
    key: string | null,
    {
      of = context,
      content = 'a',
      fails = false,
      before = async () => undefined,
    }: {
      of?: RequestContext;
      content?: string;
      fails?: boolean;
      before?: (claim: RequestContext['claim']) => Promise<void>;
    } = {},
  ) =>
    runUnderKey(of, {
      key,
      fingerprint: () => content,
      run: async (claim) => {
        await before(claim);
        if (fails) throw new Error('refused');
        made += 1;
        return { thing: made, isRepeated: false };
      },
      toKept: async ({ thing }) => ({ status: 200, body: String(thing) }),
      toRepeated: async ({ body }) => ({ thing: Number(body), isRepeated: true }),
    });
  return { app, context, request, countMade: () => made };
}

describe('a request under a key', () => {
  it('runs once, and a repeat gets the first response', async () => {
    const { request, countMade } = await world();
    expect(await request('k')).toEqual({ thing: 1, isRepeated: false });
    expect(await request('k')).toEqual({ thing: 1, isRepeated: true });
    expect(await request('other')).toEqual({ thing: 2, isRepeated: false });
    await expect(request('k', { content: 'b' })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(countMade()).toBe(2);
  });

  it('runs once of many at the same time', async () => {
    const { request, countMade } = await world();
    await Promise.allSettled(Array.from({ length: 6 }, () => request('k')));
    expect(countMade()).toBe(1);
  });

  it('may run again after it failed', async () => {
    const { request } = await world();
    await expect(request('k', { fails: true })).rejects.toThrow('refused');
    expect(await request('k')).toEqual({ thing: 1, isRepeated: false });
  });

  it('fails with its own error when its key cannot be released either', async () => {
    const { app, request } = await world();
    const release = vi.spyOn(app.db, 'deleteFrom').mockImplementation(() => {
      throw new Error('the database is gone');
    });
    await expect(request('k', { fails: true })).rejects.toThrow('refused');
    expect(release).toHaveBeenCalled();
  });

  it('is not run again when its process died after it had changed something, for as long as responses are kept', async () => {
    const { app, context, request, countMade } = await world();
    const begun = Promise.withResolvers<void>();
    const dies = (claim: RequestContext['claim']) =>
      inUnitOfWork({ ...context, claim }, async () => undefined).then(() => {
        begun.resolve();
        return new Promise<void>(() => undefined);
      });
    void request('k', { before: dies });
    await begun.promise;
    await expect(request('k')).rejects.toMatchObject({ code: 'idempotency_request_running' });
    app.clock.advance(CLAIM_TAKEN_OVER_MS);
    await expect(request('k')).rejects.toMatchObject({ code: 'idempotency_outcome_unknown' });
    app.clock.advance(RESPONSE_KEPT_MS);
    expect(await request('k')).toEqual({ thing: 1, isRepeated: false });
    expect(countMade()).toBe(1);
  });

  it('changes nothing any more once another one has taken it over', async () => {
    const { app, context, request } = await world();
    const takenOver = Promise.withResolvers<void>();
    const change = vi.fn();
    const slow = request('k', {
      before: async (claim) => {
        await takenOver.promise;
        await inUnitOfWork({ ...context, claim }, async ({ trx }) => {
          await trx.updateTable('users').set({ full_name: 'changed' }).execute();
          change();
        });
      },
    });
    await vi.waitFor(async () => {
      expect(await app.db.selectFrom('idempotency_keys').select('key').execute()).toHaveLength(1);
    });
    app.clock.advance(CLAIM_TAKEN_OVER_MS);
    expect(await request('k')).toEqual({ thing: 1, isRepeated: false });
    takenOver.resolve();
    await expect(slow).rejects.toMatchObject({ code: 'conflict' });
    expect(change).toHaveBeenCalled();
    const names = await app.db.selectFrom('users').select('full_name').execute();
    expect(names).not.toContainEqual({ full_name: 'changed' });
    expect(await request('k'), 'its response stays').toEqual({ thing: 1, isRepeated: true });
  });

  it('may run again when it failed after it had changed something', async () => {
    const { context, request } = await world();
    const before = (claim: RequestContext['claim']) =>
      inUnitOfWork({ ...context, claim }, async () => undefined);
    await expect(request('k', { before, fails: true })).rejects.toThrow('refused');
    expect(await request('k', { before })).toEqual({ thing: 1, isRepeated: false });
    expect(await request('k', { before })).toEqual({ thing: 1, isRepeated: true });
  });

  it('runs each time without a key, or for someone who is not known', async () => {
    const { app, context, request, countMade } = await world();
    const anonymous: RequestContext = { ...context, app, actor: { kind: 'anonymous' } };
    await request(null);
    await request(null);
    await request('k', { of: anonymous });
    await request('k', { of: anonymous });
    expect(countMade()).toBe(4);
  });

  it('is refused with a key that is none, and beyond the limit', async () => {
    const { app, request } = await world();
    for (const key of ['', 'a b', 'é', 'x'.repeat(256)]) {
      await expect(request(key)).rejects.toMatchObject({ code: 'invalid_input' });
    }
    app.rateLimits = createRateLimits({ idempotency_principal: { points: 1, seconds: 60 } });
    await request('k');
    await expect(request('k')).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('is refused once the responses that are kept have become too many bytes', async () => {
    const { app, request, countMade } = await world();
    app.rateLimits = createRateLimits({ idempotency_bytes_principal: { points: 2, seconds: 60 } });
    for (const key of ['one', 'two']) await request(key);
    await expect(request('three')).rejects.toMatchObject({ code: 'too_many_requests' });
    await request(null);
    expect(countMade()).toBe(3);
  });

  it('is another request once its actor has another right', async () => {
    const { context, request, countMade } = await world();
    const organization = { id: 'o', permission: 'admin' as const, features: [], isSuspended: false };
    const admin = { ...context, organization };
    await request('k', { of: admin });
    expect(await request('k', { of: admin })).toMatchObject({ isRepeated: true });
    const reader = { ...admin, organization: { ...organization, permission: 'read' as const } };
    await expect(request('k', { of: reader })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(countMade()).toBe(1);
  });

  it('is another request once the operator who makes it has another right', async () => {
    const { app, request } = await world();
    const operator = (access: 'read' | 'manage') => operatorContext(app, access);
    await request('k', { of: operator('manage') });
    expect(await request('k', { of: operator('manage') })).toMatchObject({ isRepeated: true });
    await expect(request('k', { of: operator('read') })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
  });
});
