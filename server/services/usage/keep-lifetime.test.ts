import { describe, expect, it } from 'vitest';
import type { App } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { deleteEndpoint } from '../cdn/delete-endpoint.ts';
import { UNPROVEN_CLAIM_MS } from '../cdn/rules.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { purgeDeletedSites } from '../sites/purge-deleted-sites.ts';
import { restoreSite } from '../sites/restore-site.ts';
import { SITE_UNDO_MS } from '../sites/rules.ts';

async function lifetimeOf({ db }: App, id: string) {
  return db.selectFrom('resource_lifetimes').selectAll().where('resource_id', '=', id).executeTakeFirst();
}

describe('the lifetime of a site', () => {
  it('begins when it is created, ends when it is deleted, and is kept when it is purged', async () => {
    const { app, context, site } = await withTwoSites();
    const created = app.clock.now();
    const known = {
      resource_id: site.id,
      resource_type: 'site',
      organization_id: context.organization.id,
      name: 'Blog',
      started_at: created,
    };
    expect(await lifetimeOf(app, site.id)).toEqual({ ...known, ended_at: null });
    app.clock.advance(DAY_MS);
    await deleteSite(context, { site_id: site.id });
    const ended = { ...known, ended_at: created + DAY_MS };
    expect(await lifetimeOf(app, site.id)).toEqual(ended);
    app.clock.advance(SITE_UNDO_MS);
    const job = { ...context, actor: { kind: 'job' as const, name: 'purge' } };
    expect(await purgeDeletedSites(job)).toEqual({ purged: 1 });
    expect(await lifetimeOf(app, site.id)).toEqual(ended);
  });

  it('continues without interruption when the deletion is undone', async () => {
    const { app, context, site } = await withTwoSites();
    const before = await lifetimeOf(app, site.id);
    app.clock.advance(DAY_MS);
    await deleteSite(context, { site_id: site.id });
    app.clock.advance(DAY_MS);
    await restoreSite(context, { site_id: site.id });
    expect(await lifetimeOf(app, site.id)).toEqual(before);
  });

  it('is unchanged when a deletion is refused', async () => {
    const { app, context, site, claim } = await withTwoSites();
    await claim();
    await expect(deleteSite(context, { site_id: site.id })).rejects.toMatchObject({
      code: 'site_has_endpoints',
    });
    expect(await lifetimeOf(app, site.id)).toMatchObject({ ended_at: null });
  });
});

describe('the lifetime of an endpoint', () => {
  it('begins when it is created and ends when it is deleted; the next one at the hostname has its own', async () => {
    const { app, context, claim } = await withTwoSites();
    const started_at = app.clock.now();
    const first = await claim();
    app.clock.advance(DAY_MS);
    await deleteEndpoint(context, { endpoint_id: first.id });
    app.clock.advance(DAY_MS);
    const second = await claim();
    const known = {
      resource_type: 'endpoint',
      organization_id: context.organization.id,
      name: 'www.example.ca',
    };
    expect(await lifetimeOf(app, first.id)).toEqual({
      ...known,
      resource_id: first.id,
      started_at,
      ended_at: started_at + DAY_MS,
    });
    expect(await lifetimeOf(app, second.id)).toEqual({
      ...known,
      resource_id: second.id,
      started_at: started_at + 2 * DAY_MS,
      ended_at: null,
    });
  });

  it('ends when another organization takes over the hostname', async () => {
    const { app, stranger, claim, claimElsewhere } = await withTwoSites();
    const theirs = await claimElsewhere();
    app.clock.advance(UNPROVEN_CLAIM_MS);
    const ours = await claim();
    expect(await lifetimeOf(app, theirs.id)).toMatchObject({
      organization_id: stranger.organization.id,
      ended_at: app.clock.now(),
    });
    expect(await lifetimeOf(app, ours.id)).toMatchObject({ ended_at: null });
  });

  it('does not begin with a refused creation', async () => {
    const { app, claim, claimElsewhere } = await withTwoSites();
    await claim();
    await expect(claimElsewhere()).rejects.toMatchObject({ code: 'hostname_unproven' });
    const endpoints = await app.db
      .selectFrom('resource_lifetimes')
      .select('name')
      .where('resource_type', '=', 'endpoint')
      .execute();
    expect(endpoints).toEqual([{ name: 'www.example.ca' }]);
  });
});
