import { describe, expect, it } from 'vitest';
import type { RequestContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { createLogger } from '#server/logging/logger.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { withDns } from '#tests/support/dns/dns-world.ts';
import { inspectDueBundles } from './inspect-due-bundles.ts';

function jobOf(app: RequestContext['app']): RequestContext {
  return { app, actor: { kind: 'job', name: 'inspect-bundles' }, requestId: '', address: '' };
}

/** A row whose records are to be inspected at a time. */
function dueBundle(organization_id: string, index: number, at: number) {
  return {
    id: newId(),
    organization_id,
    endpoint_id: null,
    domain_name: `host${index}.example.org`,
    dns_challenge_id: `challenge-${index}`,
    next_check_at: at,
    created_at: at,
    updated_at: at,
  };
}

describe('inspectDueBundles', () => {
  it('inspects what is due, and nothing before its time', async () => {
    const { app, delegate, row } = await withDns();
    delegate();
    expect(await inspectDueBundles(jobOf(app))).toEqual({ inspected: 1 });
    const { next_check_at, dns_challenge_validated_at } = await row();
    expect(dns_challenge_validated_at).toBe(app.clock.now());
    expect(await inspectDueBundles(jobOf(app))).toEqual({ inspected: 0 });
    app.clock.advance(next_check_at - app.clock.now() - 1);
    expect(await inspectDueBundles(jobOf(app))).toEqual({ inspected: 0 });
    app.clock.advance(1);
    expect(await inspectDueBundles(jobOf(app))).toEqual({ inspected: 1 });
  });

  it('inspects eight at a time, and each once however many nodes there are', async () => {
    const { app, dns, claim } = await withDns();
    for (let count = 0; count < 19; count += 1) await claim(`host${count}.example.ca`);
    const state = { running: 0, most: 0, looks: 0 };
    const waiting: (() => void)[] = [];
    const answerAll = () => {
      for (const answer of waiting.splice(0)) answer();
    };
    const { soa } = dns;
    dns.soa = async (name) => {
      // Each inspection asks this once for its own hostname.
      if (!/^(www|host\d+)\./.test(name)) return soa(name);
      state.looks += 1;
      state.running += 1;
      state.most = Math.max(state.most, state.running);
      const wait = new Promise<void>((resolve) => waiting.push(resolve));
      // None is answered before as many ask as may: how many do does not depend on how busy the machine is.
      if (waiting.length === 8 || state.looks % 20 === 0) setImmediate(answerAll);
      await wait;
      state.running -= 1;
      return soa(name);
    };
    const results = await Promise.all([1, 2].map(() => inspectDueBundles(jobOf(app))));
    expect(results.reduce((sum, { inspected }) => sum + inspected, 0)).toBe(20);
    expect(state.looks).toBe(20);
    expect(state.most).toBeLessThanOrEqual(16);
    for (let count = 0; count < 20; count += 1) app.clock.advance(10_000);
    Object.assign(state, { most: 0 });
    expect(await inspectDueBundles(jobOf(app))).toEqual({ inspected: 20 });
    expect(state.most).toBe(8);
  });

  it('does not make one organization wait for another that has many', async () => {
    const { app, row } = await withDns();
    const { organization } = await createTestPerson(app);
    const at = app.clock.now() - 60_000;
    const many = Array.from({ length: 70 }, (_, index) => dueBundle(organization.id, index, at));
    await app.db.insertInto('certificate_bundles').values(many).execute();
    expect(await inspectDueBundles(jobOf(app))).toEqual({ inspected: 64 });
    expect((await row()).dns_checked_at).toBe(app.clock.now());
    expect(await inspectDueBundles(jobOf(app))).toEqual({ inspected: 7 });
  });

  it('does not make one organization wait for a hundred others whose bundles are always overdue', async () => {
    const { app, row } = await withDns();
    const at = app.clock.now() - 60_000;
    const people = await Promise.all(Array.from({ length: 100 }, () => createTestPerson(app)));
    const slow = people.map(({ organization }, index) => dueBundle(organization.id, index, at));
    await app.db.insertInto('certificate_bundles').values(slow).execute();
    for (let run = 0; run < 100 && (await row()).dns_checked_at === null; run += 1) {
      await inspectDueBundles(jobOf(app));
      await app.db
        .updateTable('certificate_bundles')
        .set({ next_check_at: at })
        .where('domain_name', 'like', '%.example.org')
        .execute();
    }
    expect((await row()).dns_checked_at).toBe(app.clock.now());
  });

  it('that fails for one delays no other, and tries it again', async () => {
    const lines: string[] = [];
    const logger = createLogger('error', { write: (line: string) => lines.push(line) });
    const { app, claim, row } = await withDns('www.example.ca', { logger });
    const other = await claim('other.example.ca');
    const authority = { ...app.authority };
    let calls = 0;
    Object.defineProperty(authority, 'needsProof', {
      get: () => {
        calls += 1;
        if (calls === 1) throw new Error('broken');
        return false;
      },
    });
    expect(await inspectDueBundles(jobOf({ ...app, authority }))).toEqual({ inspected: 1 });
    expect(lines.join()).toContain('a piece of work failed and will be retried');
    const checks = await app.db.selectFrom('certificate_bundles').select(['id', 'dns_checked_at']).execute();
    expect(checks.filter(({ dns_checked_at }) => dns_checked_at === null)).toHaveLength(1);
    expect([other.bundle?.id, (await row()).id]).toContain(checks[0]?.id);
    app.clock.advance(60_000);
    await inspectDueBundles(jobOf(app));
    expect((await row()).dns_checked_at).not.toBeNull();
  });

  it('begins no more inspections when the process stops', async () => {
    const { app } = await withDns();
    expect(await inspectDueBundles(jobOf(app), AbortSignal.abort())).toEqual({ inspected: 0 });
    expect(await inspectDueBundles(jobOf(app))).toEqual({ inspected: 1 });
  });
});
