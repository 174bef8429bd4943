import { describe, expect, it } from 'vitest';
import type { RequestContext } from '#server/context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { followUpstreamPerson, type UpstreamPersonChange } from './follow-upstream-person.ts';

const ISSUER = 'https://code.example.ca';
const RIVERS = {
  upstream_id: '12',
  handle: 'rivers',
  name: 'Rivers',
  description: null,
  website: null,
  location: null,
  avatar_url: null,
  permission: 'write',
} as const;

async function prepare() {
  const app = await createTestApp();
  const ada = await createTestPerson(app, { issuer: ISSUER, login: 'ada', email: 'ada@example.ca' });
  const actor = { kind: 'job', name: 'membership sync' } as const;
  const context: RequestContext = { app, actor, requestId: 'request', address: '' };
  const follow = (change: Partial<UpstreamPersonChange>) =>
    followUpstreamPerson(context, {
      userId: ada.user.id,
      profile: {},
      organizations: [],
      askedAt: app.clock.now(),
      ...change,
    });
  const user = () =>
    app.db.selectFrom('users').selectAll().where('id', '=', ada.user.id).executeTakeFirstOrThrow();
  const organizations = async () => {
    const rows = await app.db
      .selectFrom('memberships')
      .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
      .select('organizations.name')
      .where('memberships.user_id', '=', ada.user.id)
      .where('organizations.issuer', '=', ISSUER)
      .execute();
    return rows.map(({ name }) => name);
  };
  return { app, ada, follow, user, organizations };
}

describe('what an issuer says about a signed-in person', () => {
  it('changes the mentioned profile fields, the memberships, and when they were last known', async () => {
    const { app, follow, user, organizations } = await prepare();
    await follow({ profile: { full_name: 'Countess Lovelace' }, organizations: [RIVERS] });
    expect(await user()).toMatchObject({
      login: 'ada',
      full_name: 'Countess Lovelace',
      email: 'ada@example.ca',
      memberships_synced_at: app.clock.now(),
    });
    expect(await organizations()).toEqual(['Rivers']);
  });

  it('is dropped when a later response is already there', async () => {
    const { app, follow, user, organizations } = await prepare();
    const askedAt = app.clock.now();
    app.clock.advance(1);
    await follow({ organizations: [RIVERS] });
    await follow({ askedAt, profile: { login: 'old' }, organizations: [] });
    expect(await organizations()).toEqual(['Rivers']);
    expect(await user()).toMatchObject({ login: 'ada', memberships_synced_at: app.clock.now() });
  });

  it('about a deleted person has no effect', async () => {
    const { app, follow } = await prepare();
    await follow({ userId: 'nobody', organizations: [RIVERS] });
    const rows = await app.db.selectFrom('organizations').select('id').where('issuer', '=', ISSUER).execute();
    expect(rows).toEqual([]);
  });

  it('reported twice at the same time is recorded once', async () => {
    const { app, follow, organizations } = await prepare();
    await Promise.all([1, 2, 3].map(() => follow({ organizations: [RIVERS] })));
    expect(await organizations()).toEqual(['Rivers']);
    const added = await app.db
      .selectFrom('audit_events')
      .select('id')
      .where('action', '=', 'member.add')
      .execute();
    expect(added).toHaveLength(1);
  });
});
