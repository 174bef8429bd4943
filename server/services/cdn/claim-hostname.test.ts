import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { edgeChangesOf, markProven, withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { createEndpoint } from './create-endpoint.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { listEndpoints } from './list-endpoints.ts';
import { HOSTNAME_RESERVED_MS, LOST_CLAIM_MS, UNPROVEN_CLAIM_MS, UNPROVEN_ENDPOINTS_MAX } from './rules.ts';

const taken = { code: 'hostname_taken', params: { hostname: 'www.example.ca' } };
/** Another organization has it without proof. */
const unproven = { code: 'hostname_unproven', params: { hostname: 'www.example.ca' } };

describe('a hostname', () => {
  it('belongs to one endpoint, in any form and for any requester', async () => {
    const { claim, claimElsewhere } = await withTwoSites();
    await claim();
    await expect(claim('WWW.EXAMPLE.CA.')).rejects.toMatchObject(taken);
    await expect(claimElsewhere('https://www.example.ca/')).rejects.toMatchObject(unproven);
    await expect(claimElsewhere('example.ca')).resolves.toMatchObject({ hostname: 'example.ca' });
  });

  it('goes to exactly one of two who ask at the same time, and leaves nothing of the other', async () => {
    const { app, claim, claimElsewhere } = await withTwoSites();
    const results = await atOnce(app, [() => claim(), () => claimElsewhere(), () => claim()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected')
        expect(['hostname_taken', 'hostname_unproven']).toContain(result.reason.code);
    }
    expect(await app.db.selectFrom('certificate_bundles').select('id').execute()).toHaveLength(1);
    const created = app.db.selectFrom('audit_events').select('id').where('action', '=', 'endpoint.create');
    expect(await created.execute()).toHaveLength(1);
  });
});

describe('a claim without proof', () => {
  it('gives way to another organization after a week, and both logs say so', async () => {
    const world = await withTwoSites();
    const { app, context, stranger, claim, claimElsewhere } = world;
    const squatted = await claimElsewhere();
    app.clock.advance(UNPROVEN_CLAIM_MS - 1);
    await expect(claim()).rejects.toMatchObject(unproven);
    app.clock.advance(1);
    const announced = edgeChangesOf(world);
    const endpoint = await claim();
    expect(endpoint.cname_target).not.toBe(squatted.cname_target);
    expect(endpoint.bundle?.dns_challenge_id).not.toBe(squatted.bundle?.dns_challenge_id);
    expect(await listEndpoints(stranger, {})).toEqual([]);
    expect(announced).toEqual([{ site_id: null, hostname: 'www.example.ca' }]);
    expect(await auditRows(context, 'www.example.ca')).toMatchObject([{ action: 'endpoint.supersede' }]);
    const [, expired, ...rest] = await auditRows(stranger, squatted.id);
    expect(rest).toEqual([]);
    expect(expired).toMatchObject({
      action: 'endpoint.expire',
      actor_kind: 'job',
      before: { hostname: 'www.example.ca', origin_type: 'site' },
    });
    // The other organization does not learn who came after it.
    const rows = app.db.selectFrom('audit_events').selectAll();
    const theirs = await rows.where('organization_id', '=', stranger.organization.id).execute();
    const { actor } = context;
    expect(JSON.stringify(theirs)).not.toContain(actor.kind === 'person' ? actor.login : 'nobody');
    expect(theirs.at(-1)).toMatchObject({ action: 'endpoint.expire', address: null });
  });

  it('stays once it is proven, however old, and with its own organization', async () => {
    const { app, claim, claimElsewhere } = await withTwoSites();
    await markProven(app, (await claimElsewhere()).id);
    await claim('example.ca');
    app.clock.advance(10 * UNPROVEN_CLAIM_MS);
    await expect(claim()).rejects.toMatchObject(taken);
    await expect(claim('example.ca')).rejects.toMatchObject({ code: 'hostname_taken' });
    await expect(claimElsewhere('example.ca')).resolves.toMatchObject({ hostname: 'example.ca' });
  });

  it('goes to exactly one of two who come after it, and is removed once', async () => {
    const { app, context, site, claimElsewhere, claim } = await withTwoSites();
    await claimElsewhere();
    app.clock.advance(UNPROVEN_CLAIM_MS);
    const input = { hostname: 'www.example.ca', site_id: site.id };
    const results = await atOnce(app, [() => claim(), () => createEndpoint(context, input)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: taken });
    const expired = app.db.selectFrom('audit_events').select('id').where('action', '=', 'endpoint.expire');
    expect(await expired.execute()).toHaveLength(1);
  });

  it('is kept when its successor is refused', async () => {
    const { app, context, stranger, claimElsewhere } = await withTwoSites();
    await claimElsewhere();
    app.clock.advance(UNPROVEN_CLAIM_MS);
    const input = { hostname: 'www.example.ca', site_id: 'unknown' };
    await expect(createEndpoint(context, input)).rejects.toMatchObject({ code: 'site_not_found' });
    expect(await listEndpoints(stranger, {})).toHaveLength(1);
  });
});

describe('a removed hostname', () => {
  it('is reserved for its organization, which gets it back with the same records', async () => {
    const { app, context, claim, claimElsewhere } = await withTwoSites();
    const first = await claim();
    await markProven(app, first.id);
    await deleteEndpoint(context, { endpoint_id: first.id });
    await expect(claimElsewhere()).rejects.toMatchObject({
      code: 'hostname_resting',
      params: { hostname: 'www.example.ca', until: '2026-03-04T12:00:00.000Z' },
    });
    const again = await claim();
    expect(again.id).not.toBe(first.id);
    expect(again).toMatchObject({
      cname_target: first.cname_target,
      proven_at: null,
      bundle: { dns_challenge_id: first.bundle?.dns_challenge_id },
    });
    expect(await app.db.selectFrom('resting_hostnames').selectAll().execute()).toEqual([]);
  });

  it('is available to anyone afterwards, with new records', async () => {
    const { app, context, claim, claimElsewhere } = await withTwoSites();
    const first = await claim();
    await markProven(app, first.id);
    await deleteEndpoint(context, { endpoint_id: first.id });
    app.clock.advance(HOSTNAME_RESERVED_MS - 1);
    await expect(claimElsewhere()).rejects.toMatchObject({ code: 'hostname_resting' });
    app.clock.advance(1);
    const theirs = await claimElsewhere();
    expect(theirs.cname_target).not.toBe(first.cname_target);
    expect(theirs.bundle?.dns_challenge_id).not.toBe(first.bundle?.dns_challenge_id);
    await expect(claim()).rejects.toMatchObject(unproven);
  });

  it('that was never proven gets its records back too, unless another organization was quicker', async () => {
    const { app, context, claim, claimElsewhere } = await withTwoSites();
    const first = await claim();
    await deleteEndpoint(context, { endpoint_id: first.id });
    const again = await claim();
    expect(again).toMatchObject({
      cname_target: first.cname_target,
      bundle: { dns_challenge_id: first.bundle?.dns_challenge_id },
    });
    await deleteEndpoint(context, { endpoint_id: again.id });
    const theirs = await claimElsewhere();
    expect(theirs.cname_target).not.toBe(first.cname_target);
    expect(await app.db.selectFrom('resting_hostnames').selectAll().execute()).toEqual([]);
  });

  it('that was never proven, or is a name of this machine, is available immediately', async () => {
    const { context, claim, claimElsewhere } = await withTwoSites();
    for (const hostname of ['www.example.ca', 'shop.localhost']) {
      await deleteEndpoint(context, { endpoint_id: (await claim(hostname)).id });
      await expect(claimElsewhere(hostname)).resolves.toMatchObject({ hostname });
    }
  });
});

describe('a hostname that leads elsewhere since its domain changed hands', () => {
  it('gives way after two weeks, and not while any of its records is in place', async () => {
    const { app, claim, claimElsewhere } = await withTwoSites();
    const sold = await claimElsewhere();
    await markProven(app, sold.id);
    const records = (values: Record<string, number | null>) =>
      app.db.updateTable('certificate_bundles').set(values).where('endpoint_id', '=', sold.id).execute();
    const at = app.clock.now();
    await records({ dns_validated_at: at, dns_challenge_validated_at: null, dns_problem_since: at });
    app.clock.advance(LOST_CLAIM_MS - 1);
    await expect(claim()).rejects.toMatchObject(taken);
    await records({ dns_validated_at: null });
    await expect(claim()).rejects.toMatchObject(taken);
    app.clock.advance(1);
    await expect(claim()).resolves.toMatchObject({ hostname: 'www.example.ca' });
  });
});

describe('an organization', () => {
  it('can claim only so many hostnames before it proves some of them', async () => {
    const { app, claim } = await withTwoSites();
    const first = await claim('h0.example.ca');
    for (let index = 1; index < UNPROVEN_ENDPOINTS_MAX; index += 1) await claim(`h${index}.example.ca`);
    const refused = { code: 'endpoint_limit', params: { limit: UNPROVEN_ENDPOINTS_MAX } };
    await expect(claim('one-more.example.ca')).rejects.toMatchObject(refused);
    await expect(claim('blog.localhost')).resolves.toMatchObject({ hostname: 'blog.localhost' });
    await markProven(app, first.id);
    await expect(claim('one-more.example.ca')).resolves.toMatchObject({ hostname: 'one-more.example.ca' });
  });
});
