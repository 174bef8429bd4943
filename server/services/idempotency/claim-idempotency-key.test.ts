import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/test-app.ts';
import { claimIdempotencyKey } from './claim-idempotency-key.ts';
import { keepAnswer } from './keep-answer.ts';
import { purgeIdempotencyKeys } from './purge-idempotency-keys.ts';
import { releaseIdempotencyKey } from './release-idempotency-key.ts';
import { ANSWER_KEPT_MS, CLAIM_TAKEN_OVER_MS } from './rules.ts';

const claim = { principal: 'person 1', key: 'abc', fingerprint: 'f1' };
const answer = { status: 201, body: '{"secret_key":"ptgsk_x"}' };

describe('an idempotency key', () => {
  it('is claimed by one of many concurrent requests', async () => {
    const app = await createTestApp();
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, () => claimIdempotencyKey(app, claim)),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  it('returns the kept answer to the same request, sealed at rest', async () => {
    const app = await createTestApp();
    expect(await claimIdempotencyKey(app, claim)).toBeNull();
    await expect(claimIdempotencyKey(app, claim)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    await keepAnswer(app, claim, answer);
    expect(await claimIdempotencyKey(app, claim)).toEqual(answer);
    const rows = await app.db.selectFrom('idempotency_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('ptgsk_x');
  });

  it('refuses another request, and belongs to one principal', async () => {
    const app = await createTestApp();
    await claimIdempotencyKey(app, claim);
    await keepAnswer(app, claim, answer);
    const other = { ...claim, fingerprint: 'f2' };
    await expect(claimIdempotencyKey(app, other)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(await claimIdempotencyKey(app, { ...other, principal: 'person 2' })).toBeNull();
  });

  it('can be used again after a failure, after its request died, and after a day', async () => {
    const app = await createTestApp();
    await claimIdempotencyKey(app, claim);
    await releaseIdempotencyKey(app, claim);
    expect(await claimIdempotencyKey(app, claim)).toBeNull();
    app.clock.advance(CLAIM_TAKEN_OVER_MS);
    expect(await claimIdempotencyKey(app, claim)).toBeNull();
    await keepAnswer(app, claim, answer);
    app.clock.advance(ANSWER_KEPT_MS);
    expect(await claimIdempotencyKey(app, { ...claim, fingerprint: 'f2' })).toBeNull();
  });

  it('is removed after a day', async () => {
    const app = await createTestApp();
    const context = { app, actor: { kind: 'job' as const, name: 'purge' }, requestId: 'job', address: '' };
    await claimIdempotencyKey(app, claim);
    app.clock.advance(ANSWER_KEPT_MS - 1);
    expect(await purgeIdempotencyKeys(context)).toEqual({ purged: 0 });
    app.clock.advance(1);
    expect(await purgeIdempotencyKeys(context)).toEqual({ purged: 1 });
  });
});
