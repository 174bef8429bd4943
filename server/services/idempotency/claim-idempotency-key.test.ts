import { describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { claimIdempotencyKey, type IdempotencyClaim } from './claim-idempotency-key.ts';
import { keepResponse } from './keep-response.ts';
import { purgeIdempotencyKeys } from './purge-idempotency-keys.ts';
import { releaseIdempotencyKey } from './release-idempotency-key.ts';
import { CLAIM_TAKEN_OVER_MS, RESPONSE_KEPT_MS } from './rules.ts';

const at = (app: TestApp): IdempotencyClaim => ({
  principal: 'person 1',
  key: 'abc',
  fingerprint: 'f1',
  claimedAt: app.clock.now(),
});
const response = { status: 201, body: '{"secret_key":"ptgsk_x"}' };

describe('an idempotency key', () => {
  it('is claimed by one of many concurrent requests', async () => {
    const app = await createTestApp();
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, () => claimIdempotencyKey(app, at(app))),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  it('returns the kept answer to the same request, sealed at rest', async () => {
    const app = await createTestApp();
    expect(await claimIdempotencyKey(app, at(app))).toBeNull();
    await expect(claimIdempotencyKey(app, at(app))).rejects.toMatchObject({
      code: 'idempotency_request_running',
    });
    await keepResponse(app, at(app), response);
    expect(await claimIdempotencyKey(app, at(app))).toEqual(response);
    const rows = await app.db.selectFrom('idempotency_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('ptgsk_x');
  });

  it('refuses another request, and belongs to one principal', async () => {
    const app = await createTestApp();
    await claimIdempotencyKey(app, at(app));
    await keepResponse(app, at(app), response);
    const other = { ...at(app), fingerprint: 'f2' };
    await expect(claimIdempotencyKey(app, other)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(await claimIdempotencyKey(app, { ...other, principal: 'person 2' })).toBeNull();
  });

  it('can be used again after a failure, after its request died, and after a day', async () => {
    const app = await createTestApp();
    await claimIdempotencyKey(app, at(app));
    await releaseIdempotencyKey(app, at(app));
    expect(await claimIdempotencyKey(app, at(app))).toBeNull();
    app.clock.advance(CLAIM_TAKEN_OVER_MS);
    expect(await claimIdempotencyKey(app, at(app))).toBeNull();
    await keepResponse(app, at(app), response);
    app.clock.advance(RESPONSE_KEPT_MS);
    expect(await claimIdempotencyKey(app, { ...at(app), fingerprint: 'f2' })).toBeNull();
  });

  it('stays with the request that took it over, however the slow one before ends', async () => {
    const app = await createTestApp();
    const slow = at(app);
    await claimIdempotencyKey(app, slow);
    app.clock.advance(CLAIM_TAKEN_OVER_MS);
    const next = at(app);
    expect(await claimIdempotencyKey(app, next)).toBeNull();
    await releaseIdempotencyKey(app, slow);
    await expect(claimIdempotencyKey(app, at(app))).rejects.toMatchObject({
      code: 'idempotency_request_running',
    });
    await keepResponse(app, next, response);
    await keepResponse(app, slow, { status: 201, body: 'of the slow one' });
    expect(await claimIdempotencyKey(app, at(app))).toEqual(response);
  });

  it('is removed after a day', async () => {
    const app = await createTestApp();
    const context = { app, actor: { kind: 'job' as const, name: 'purge' }, requestId: 'job', address: '' };
    await claimIdempotencyKey(app, at(app));
    app.clock.advance(RESPONSE_KEPT_MS - 1);
    expect(await purgeIdempotencyKeys(context)).toEqual({ purged: 0 });
    app.clock.advance(1);
    expect(await purgeIdempotencyKeys(context)).toEqual({ purged: 1 });
  });
});
