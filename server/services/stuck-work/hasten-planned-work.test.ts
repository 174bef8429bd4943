import { describe, expect, it } from 'vitest';
import type { App } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { jobContext } from '#tests/support/app/job-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { FakeAuthority } from '#tests/support/certificates/fake-authority.ts';
import { prepareWebhooks } from '#tests/support/webhooks/webhook-world.ts';
import { ensurePlatformBundle } from '../certificates/platform-bundle.ts';
import { hastenPlannedWork } from './hasten-planned-work.ts';
import { openStuckWork } from './open-stuck-work.ts';

/** Hastens what is due, and returns when the only certificate is issued next. */
async function nextIssueAfterHastening(app: App): Promise<number | null> {
  await hastenPlannedWork(jobContext(app));
  const bundle = await app.db
    .selectFrom('certificate_bundles')
    .select('next_issue_at')
    .executeTakeFirstOrThrow();
  return bundle.next_issue_at;
}

describe('work that a clock ahead has planned', () => {
  it('does not wait until that clock would have been right', async () => {
    const { app, receiver, create, tell, deliver } = await prepareWebhooks();
    await create();
    app.clock.advance(365 * DAY_MS);
    await tell();
    app.clock.advance(-365 * DAY_MS);
    expect(await deliver()).toEqual({ attempts: 0 });
    expect(await hastenPlannedWork(jobContext(app))).toEqual({ hastened: 1 });
    expect(await deliver()).toEqual({ attempts: 1 });
    expect(receiver.received).toHaveLength(1);
  });

  it('is all that is hastened: pauses and renewals keep their times', async () => {
    const { app, receiver, create, tell, deliver } = await prepareWebhooks();
    await create();
    receiver.state.answer = (response) => response.writeHead(503, { 'retry-after': '86400' }).end();
    await tell();
    await deliver();
    await (await openStuckWork(app, 'test')).fail('item', new Error('broken'));
    expect(await hastenPlannedWork(jobContext(app))).toEqual({ hastened: 0 });
  });

  it.each([
    ['a renewal in its time', { renew_at: 60, valid_until: 90, next_issue_at: 60, attempts: 0 }, 60],
    [
      'a renewal after the end of its certificate',
      { renew_at: 400, valid_until: 90, next_issue_at: 400, attempts: 0 },
      0,
    ],
    ['an attempt after a failure', { renew_at: null, valid_until: null, next_issue_at: 300, attempts: 3 }, 0],
    [
      'an attempt after the limit of an authority',
      { renew_at: null, valid_until: null, next_issue_at: 7, attempts: 3 },
      7,
    ],
  ])('%s is found by its plan', async (_, plan, dueInDays) => {
    const { app, claim } = await withTwoSites();
    await claim();
    const now = app.clock.now();
    const inDays = (days: number | null) => (days === null ? null : now + days * DAY_MS);
    await app.db
      .updateTable('certificate_bundles')
      .set({
        renew_at: inDays(plan.renew_at),
        valid_until: inDays(plan.valid_until),
        next_issue_at: inDays(plan.next_issue_at),
        attempts: plan.attempts,
      })
      .execute();
    expect(await nextIssueAfterHastening(app)).toBe(inDays(dueInDays));
  });

  it.each([
    ['of this installation is issued again', undefined, 0],
    ['of another authority stays, since it is this clock that is wrong', new FakeAuthority(), 60],
  ])('a certificate before its time %s', async (_, authority, dueInDays) => {
    const environment = { SITES_DOMAIN: 'sites.example.ca' };
    const app = await createTestApp({ environment, ...(authority && { authority }) });
    await ensurePlatformBundle(app);
    const now = app.clock.now();
    const inDays = (days: number) => now + days * DAY_MS;
    const times = { valid_from: inDays(30), valid_until: inDays(120), renew_at: inDays(60) };
    await app.db
      .updateTable('certificate_bundles')
      .set({ ...times, next_issue_at: inDays(60), authority: app.authority.name })
      .execute();
    expect(await nextIssueAfterHastening(app)).toBe(inDays(dueInDays));
  });
});
