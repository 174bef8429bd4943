import { describe, expect, it } from 'vitest';
import type { OrganizationContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { countTurns } from '#tests/support/app/count-turns.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { createCredential } from '../credentials/create-credential.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { updateSite } from '../sites/update-site.ts';
import { exportAuditEvents } from './export-audit-events.ts';
import { listAuditEvents } from './list-audit-events.ts';
import { pruneAuditEvents } from './prune-audit-events.ts';
import { shortenAddress } from './rules.ts';

async function prepare() {
  const app = await createTestApp();
  const { context, user } = await createTestPerson(app, { full_name: 'Élodie Roy' });
  return { app, user, context: { ...context, address: '198.51.100.77' } };
}

const job = (app: TestApp) => ({
  app,
  actor: { kind: 'job' as const, name: 'prune-audit-events' },
  requestId: 'job',
  address: '',
});

function reader(context: OrganizationContext): OrganizationContext {
  return { ...context, organization: { ...context.organization, permission: 'read' } };
}

const actionsOf = async (context: OrganizationContext, filter = {}) =>
  (await listAuditEvents(context, filter)).items.map(({ action }) => action);

async function csvOf(context: OrganizationContext, filter = {}): Promise<string[]> {
  let text = '';
  for await (const part of (await exportAuditEvents(context, filter)).text) text += part;
  return text.trimEnd().split('\r\n');
}

/** Writes events of the organization as they would have been written at that time. */
async function insertEvents(
  { app, organization }: OrganizationContext,
  count: number,
  atOf: (n: number) => number,
  address: string | null = '198.51.100.77',
): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await app.db
      .insertInto('audit_events')
      .values({
        id: `event-${String(n).padStart(6, '0')}`,
        organization_id: organization.id,
        at: atOf(n),
        actor_kind: 'job',
        actor_id: null,
        actor_name: 'job',
        action: 'version.expire',
        resource_type: 'site',
        resource_id: 'site',
        before: null,
        after: null,
        address,
        request_id: null,
      })
      .execute();
  }
}

describe('the audit log of an organization', () => {
  it('tells who did what to what, newest first, with current or former names', async () => {
    const { app, user, context } = await prepare();
    const kept = await createSite(context, { name: 'kept' });
    const gone = await createSite(context, { name: 'gone' });
    app.clock.advance(1000);
    await updateSite(context, { site_id: gone.id, spa_fallback: true });
    app.clock.advance(1000);
    await deleteSite(context, { site_id: gone.id });
    const { items, next_cursor } = await listAuditEvents(context, {});
    expect(next_cursor).toBeNull();
    expect(items.slice(0, 4).map(({ action, resource }) => [action, resource.name, resource.exists])).toEqual(
      [
        ['site.delete', 'gone', false],
        ['site.update', 'gone', false],
        ['site.create', 'gone', false],
        ['site.create', 'kept', true],
      ],
    );
    expect(items[3]).toMatchObject({
      at: '2026-03-01T12:00:00.000Z',
      actor: { kind: 'person', id: user.id, name: 'Élodie Roy' },
      resource: { type: 'site', id: kept.id },
      before: null,
      after: { name: 'kept' },
      address: '198.51.100.77',
      request_id: context.requestId,
    });
  });

  // PostgreSQL answers from another process: turns pass while its answer is awaited.
  it.skipIf(engine === 'postgres')(
    'is read at once while it is short, without a turn for each week',
    async () => {
      const { context } = await prepare();
      const { turns } = await countTurns(() => listAuditEvents(context, {}));
      expect(turns).toBeLessThan(20);
    },
  );

  it('is filtered by who, what, which resource and when', async () => {
    const { app, user, context } = await prepare();
    const site = await createSite(context, { name: 'blog' });
    app.clock.advance(DAY_MS);
    await createCredential(context, { name: 'CI' });
    expect(await actionsOf(context, { subject: 'credential' })).toEqual(['credential.create']);
    expect(await actionsOf(context, { resource_id: site.id })).toEqual(['site.create']);
    expect(await actionsOf(context, { actor_id: user.id, subject: 'site' })).toEqual(['site.create']);
    expect(await actionsOf(context, { actor_kind: 'operator' })).toEqual([]);
    expect(await actionsOf(context, { start_date: '2026-03-02' })).toEqual(['credential.create']);
    expect(await actionsOf(context, { end_date: '2026-03-01' })).not.toContain('credential.create');
    expect(await actionsOf(context, { start_date: '2026-03-02', end_date: '2026-03-02' })).toHaveLength(1);
  });

  it('is paged without gaps or repeats, also within one millisecond and over weeks', async () => {
    const { context } = await prepare();
    const now = context.app.clock.now();
    await insertEvents(context, 60, (n) => now - Math.floor(n / 7) * 9 * DAY_MS);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listAuditEvents(context, { subject: 'deployment', limit: 7, cursor });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toHaveLength(60);
    expect(new Set(seen).size).toBe(60);
    for (const wrong of ['x', '1.', '.a', '9'.repeat(30)]) {
      await expect(listAuditEvents(context, { cursor: wrong })).rejects.toMatchObject({
        code: 'invalid_input',
      });
    }
  });

  it('is open to every member, without the addresses of people; administrators see those', async () => {
    const { context } = await prepare();
    await createSite(context, { name: 'blog' });
    await context.app.db
      .updateTable('audit_events')
      .set({ after: JSON.stringify({ email: 'bob@example.ca', permission: 'read' }) })
      .where('action', '=', 'site.create')
      .execute();
    const [seen] = (await listAuditEvents(reader(context), { subject: 'site' })).items;
    expect(seen).toMatchObject({ address: null, after: { permission: 'read' } });
    expect(JSON.stringify(seen)).not.toContain('bob@');
    expect((await csvOf(reader(context))).join()).not.toMatch(/bob@|198\.51/);
    const [whole] = (await listAuditEvents(context, { subject: 'site' })).items;
    expect(whole).toMatchObject({ address: '198.51.100.77', after: { email: 'bob@example.ca' } });
    expect((await csvOf(context)).join()).toMatch(/bob@/);
  });

  it('is closed to credentials, and contains nothing of other organizations or of sessions', async () => {
    const { app, context } = await prepare();
    const other = await createTestPerson(app);
    await createSite(other.context, { name: 'theirs' });
    await createSite(context, { name: 'ours' });
    await insertEvents(context, 1, () => app.clock.now());
    const turned = { action: 'organization.context', resource_id: 'secret-other' };
    await app.db.updateTable('audit_events').set(turned).where('id', '=', 'event-000000').execute();
    const text =
      JSON.stringify(await listAuditEvents(context, { limit: 200 })) + (await csvOf(context)).join();
    expect(text).not.toMatch(/theirs|secret-other|user\.sign_in/);
    const credential: OrganizationContext = {
      ...context,
      actor: {
        kind: 'credential',
        credentialId: 'c',
        name: 'CI',
        organizationId: context.organization.id,
        scopes: [],
      },
    };
    for (const ask of [listAuditEvents, exportAuditEvents]) {
      await expect(ask(credential, {})).rejects.toMatchObject({ code: 'person_required' });
    }
  });

  it('is exported completely, as CSV in small parts', async () => {
    const { context } = await prepare();
    const now = context.app.clock.now();
    await insertEvents(context, 1_200, (n) => now - n * 60_000);
    const lengths: number[] = [];
    let lines = 0;
    for await (const part of (await exportAuditEvents(context, { subject: 'deployment' })).text) {
      lengths.push(part.split('\r\n').length - 1);
      lines += part.split('\r\n').length - 1;
    }
    expect(lines).toBe(1_201);
    expect(Math.max(...lengths)).toBe(100);
    const [head] = await csvOf(context);
    expect(head).toBe(
      'at,actor_kind,actor_id,actor_name,action,resource_type,resource_id,before,after,address,request_id',
    );
  });

  it.each([
    {
      how: 'exported',
      read: async (context: OrganizationContext) =>
        (await csvOf(context, { subject: 'deployment' })).length - 1,
    },
    {
      how: 'listed',
      read: async (context: OrganizationContext) =>
        (await listAuditEvents(context, { subject: 'deployment', limit: 200 })).items.length,
    },
  ])('gives others turns while it is $how, also between few large events', async ({ read }) => {
    const { context } = await prepare();
    const now = context.app.clock.now();
    await insertEvents(context, 200, (n) => now - n);
    const scopes = Array.from({ length: 400 }, (_, n) => ({
      resource_type: 'site',
      resource_id: `site-${n}`,
    }));
    await context.app.db
      .updateTable('audit_events')
      .set({ before: JSON.stringify({ scopes }), after: JSON.stringify({ scopes }) })
      .execute();
    const { result, longestShare } = await countTurns(() => read(context));
    expect(result).toBe(200);
    expect(longestShare).toBeLessThan(0.4);
  });
});

describe('with time', () => {
  it('events older than a year are removed, even when the log is never read; the rest stays', async () => {
    const { app, context } = await prepare();
    const now = app.clock.now();
    await insertEvents(context, 1_100, (n) => now - n * DAY_MS);
    const before = await actionsOf(context, { subject: 'deployment', limit: 200 });
    expect(before).toHaveLength(200);
    expect(await pruneAuditEvents(job(app))).toMatchObject({ removed: 1_100 - 366 });
    expect(await pruneAuditEvents(job(app))).toEqual({ removed: 0, shortened: 0 });
    const left = await app.db.selectFrom('audit_events').select('at').orderBy('at').execute();
    expect(left[0]?.at).toBe(now - 365 * DAY_MS);
  });

  it('addresses are shortened to their networks after 30 days, once, and later ones in turn', async () => {
    const { app, context } = await prepare();
    const now = app.clock.now();
    await insertEvents(context, 700, (n) => now - 31 * DAY_MS - Math.floor(n / 100));
    const addresses = async () =>
      (
        await app.db.selectFrom('audit_events').select('address').where('actor_kind', '=', 'job').execute()
      ).map(({ address }) => address);
    expect(await pruneAuditEvents(job(app))).toMatchObject({ shortened: 700 });
    expect(new Set(await addresses())).toEqual(new Set(['198.51.100.0/24']));
    expect(await pruneAuditEvents(job(app))).toMatchObject({ shortened: 0 });
    await createSite(context, { name: 'blog' });
    const addressNow = async () => (await listAuditEvents(context, { subject: 'site' })).items[0]?.address;
    app.clock.advance(30 * DAY_MS);
    await pruneAuditEvents(job(app));
    expect(await addressNow()).toBe('198.51.100.77');
    app.clock.advance(1);
    await pruneAuditEvents(job(app));
    expect(await addressNow()).toBe('198.51.100.0/24');
  });

  it.each([
    ['203.0.113.9', '203.0.113.0/24'],
    ['::ffff:203.0.113.9', '203.0.113.0/24'],
    ['2001:db8:12:7::1', '2001:db8:12::/48'],
    ['2001:0DB8:0012:7:1:2:3:4', '2001:db8:12::/48'],
    ['2001:db8::7', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['nonsense', 'unknown/0'],
  ])('%s is stored as %s', (address, network) => {
    expect(shortenAddress(address)).toBe(network);
  });
});
