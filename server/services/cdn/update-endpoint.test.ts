import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createMember } from '#tests/support/app/named-organization.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { edgeChangesOf, withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { getEndpoint } from './get-endpoint.ts';
import { updateEndpoint } from './update-endpoint.ts';

/** An endpoint at our site, and another site of ours. */
async function withEndpoint() {
  const world = await withTwoSites();
  const endpoint = await world.claim();
  const other = await createSite(world.context, { name: 'Other' });
  world.app.clock.advance(1000);
  const update = (changes: Omit<Parameters<typeof updateEndpoint>[1], 'endpoint_id'>) =>
    updateEndpoint(world.context, { endpoint_id: endpoint.id, ...changes });
  return { ...world, endpoint, other, update, announced: edgeChangesOf(world) };
}

describe('updateEndpoint', () => {
  it('switches to another site, to an address and back, and keeps hostname, records and bundle', async () => {
    const { context, endpoint, other, update, announced } = await withEndpoint();
    const kept = {
      hostname: endpoint.hostname,
      cname_target: endpoint.cname_target,
      bundle: endpoint.bundle,
    };
    expect(await update({ site_id: other.id })).toMatchObject({ ...kept, site_name: 'Other' });
    const redirected = await update({ origin_type: 'redirect', redirect_target: 'https://Example.ca/' });
    expect(redirected).toMatchObject({
      ...kept,
      origin_type: 'redirect',
      site_id: null,
      redirect_target: 'https://example.ca',
      updated_at: '2026-03-01T12:00:01.000Z',
    });
    expect(await update({ redirect_target: 'https://example.org' })).toMatchObject({
      redirect_target: 'https://example.org',
    });
    const back = await update({ origin_type: 'site', site_id: other.id });
    expect(back).toMatchObject({ ...kept, site_id: other.id, redirect_target: null });
    expect(await getEndpoint(context, { endpoint_id: endpoint.id })).toEqual(back);
    expect(announced).toEqual(Array(4).fill({ site_id: null, hostname: 'www.example.ca' }));
    const [, first, second] = await auditRows(context, endpoint.id);
    expect(first).toMatchObject({
      action: 'endpoint.update',
      before: { site_id: endpoint.site_id },
      after: { site_id: other.id },
    });
    expect(second).toMatchObject({
      before: { origin_type: 'site', site_id: other.id, redirect_target: null },
      after: { origin_type: 'redirect', site_id: null, redirect_target: 'https://example.ca' },
    });
  });

  it('stores how long browsers use https only', async () => {
    const { context, endpoint, update, announced } = await withEndpoint();
    expect(await update({ hsts: 'year' })).toMatchObject({ hsts: 'year', site_id: endpoint.site_id });
    expect(announced).toHaveLength(1);
    const rows = await auditRows(context, endpoint.id);
    expect(rows.at(-1)).toMatchObject({ before: { hsts: 'off' }, after: { hsts: 'year' } });
  });

  it('changes, records and announces nothing when nothing differs', async () => {
    const { context, endpoint, update, announced } = await withEndpoint();
    const same = { origin_type: 'site', site_id: endpoint.site_id, hsts: 'off' } as const;
    for (const changes of [{}, { hsts: 'off' as const }, same])
      expect(await update(changes)).toEqual(endpoint);
    await update({ origin_type: 'redirect', redirect_target: 'https://example.ca' });
    const count = (await auditRows(context, endpoint.id)).length;
    await update({ redirect_target: 'https://EXAMPLE.ca/' });
    expect(await auditRows(context, endpoint.id)).toHaveLength(count);
    expect(announced).toHaveLength(1);
  });

  it('does not validate again what stays: an address from before stricter rules keeps its HSTS choice', async () => {
    const { context, endpoint, update } = await withEndpoint();
    await update({ origin_type: 'redirect', redirect_target: 'https://example.ca' });
    const config = { ...context.app.config, redirectTargets: 'own' as const };
    const stricter = { ...context, app: { ...context.app, config } };
    const input = { endpoint_id: endpoint.id, hsts: 'day' as const };
    expect(await updateEndpoint(stricter, input)).toMatchObject({ hsts: 'day' });
  });

  it('refuses invalid changes, and leaves the endpoint as it was', async () => {
    const { context, endpoint, other, theirSite, update } = await withEndpoint();
    await deleteSite(context, { site_id: other.id });
    const refusals = [
      [{ origin_type: 'http' }, 'origin_unavailable'],
      [{ site_id: null }, 'endpoint_site_required'],
      [{ site_id: other.id }, 'site_not_found'],
      [{ site_id: theirSite.id }, 'site_not_found'],
      [{ origin_type: 'redirect' }, 'redirect_target_required'],
      [{ origin_type: 'redirect', redirect_target: 'x' }, 'redirect_target_invalid'],
      [{ origin_type: 'redirect', redirect_target: 'https://www.example.ca/a' }, 'redirect_loop'],
      [{ redirect_target: 'https://example.ca' }, 'invalid_input'],
      [{ origin_type: 'redirect', site_id: other.id, redirect_target: 'https://a.ca' }, 'invalid_input'],
    ] as const;
    for (const [changes, code] of refusals)
      await expect(update(changes), code).rejects.toMatchObject({ code });
    expect(await getEndpoint(context, { endpoint_id: endpoint.id })).toEqual(endpoint);
  });

  it('finds no endpoint of another organization, and refuses a reader’s change', async () => {
    const { context, stranger, endpoint } = await withEndpoint();
    const input = { endpoint_id: endpoint.id, hsts: 'day' as const };
    await expect(updateEndpoint(stranger, input)).rejects.toMatchObject({ code: 'endpoint_not_found' });
    const unknown = { ...input, endpoint_id: 'unknown' };
    await expect(updateEndpoint(context, unknown)).rejects.toMatchObject({ code: 'endpoint_not_found' });
    const reader = (await createMember(context, 'read')).context;
    await expect(updateEndpoint(reader, input)).rejects.toMatchObject({ code: 'permission_required' });
    const writer = (await createMember(context, 'write')).context;
    expect(await updateEndpoint(writer, input)).toMatchObject({ hsts: 'day' });
  });

  it('lets a credential move it between sites that it can write, and nowhere else', async () => {
    const { context, site, other, endpoint } = await withEndpoint();
    const move = { endpoint_id: endpoint.id, site_id: other.id };
    for (const [siteIds, code] of [
      [[other.id], 'out_of_scope'],
      [[site.id], 'out_of_scope'],
    ] as const) {
      await expect(updateEndpoint(credentialContext(context, siteIds), move)).rejects.toMatchObject({ code });
    }
    const reads = credentialContext(context, [site.id, other.id], ['read']);
    await expect(updateEndpoint(reads, move)).rejects.toMatchObject({ code: 'out_of_scope' });
    const credential = credentialContext(context, [site.id, other.id]);
    const redirect = { origin_type: 'redirect', redirect_target: 'https://example.ca' } as const;
    await expect(updateEndpoint(credential, { endpoint_id: endpoint.id, ...redirect })).rejects.toMatchObject(
      { code: 'person_required' },
    );
    expect(await updateEndpoint(credential, move)).toMatchObject({ site_id: other.id });
    await updateEndpoint(context, { endpoint_id: endpoint.id, ...redirect });
    await expect(updateEndpoint(credential, move)).rejects.toMatchObject({ code: 'endpoint_not_found' });
  });

  it('stays consistent when two change it at the same time: each change is recorded from the state it found', async () => {
    const { app, context, endpoint, other, update } = await withEndpoint();
    const results = await atOnce(app, [
      () => update({ origin_type: 'redirect', redirect_target: 'https://example.ca' }),
      () => update({ hsts: 'year' }),
      () => update({ origin_type: 'site', site_id: other.id }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    const end = await getEndpoint(context, { endpoint_id: endpoint.id });
    expect(end.hsts).toBe('year');
    expect([end.site_id === null, end.redirect_target === null].sort()).toEqual([false, true]);
    const rows = (await auditRows(context, endpoint.id)).filter(({ action }) => action === 'endpoint.update');
    expect(rows).toHaveLength(3);
    const changes: Record<string, unknown>[] = rows.map(({ before }) => before);
    expect(changes.filter((before) => before.site_id === endpoint.site_id)).toHaveLength(1);
  });
});
