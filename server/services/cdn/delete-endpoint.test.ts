import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createMember } from '#tests/support/app/named-organization.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { edgeChangesOf, markProven, withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { getEndpoint } from './get-endpoint.ts';
import { HOSTNAME_RESERVED_MS } from './rules.ts';

describe('deleteEndpoint', () => {
  it('removes the endpoint with its bundle, tells the edges, and lets the site be deleted', async () => {
    const world = await withTwoSites();
    const { app, context, site, claim } = world;
    const endpoint = await claim();
    const announced = edgeChangesOf(world);
    await deleteEndpoint(context, { endpoint_id: endpoint.id });
    const input = { endpoint_id: endpoint.id };
    await expect(getEndpoint(context, input)).rejects.toMatchObject({ code: 'endpoint_not_found' });
    await expect(deleteEndpoint(context, input)).rejects.toMatchObject({ code: 'endpoint_not_found' });
    expect(await app.db.selectFrom('certificate_bundles').select('id').execute()).toEqual([]);
    expect(announced).toEqual([{ site_id: null, hostname: 'www.example.ca' }]);
    expect((await auditRows(context, endpoint.id)).at(-1)).toMatchObject({
      action: 'endpoint.delete',
      before: { hostname: 'www.example.ca', origin_type: 'site', site_id: site.id, redirect_target: null },
      after: null,
    });
    await expect(deleteSite(context, { site_id: site.id })).resolves.toBeUndefined();
  });

  it('reserves a proven hostname with its records for a while, from the last removal on', async () => {
    const { app, context, claim } = await withTwoSites();
    const first = await claim();
    await markProven(app, first.id);
    await deleteEndpoint(context, { endpoint_id: first.id });
    app.clock.advance(1000);
    const again = await claim();
    await markProven(app, again.id);
    await deleteEndpoint(context, { endpoint_id: again.id });
    expect(await app.db.selectFrom('resting_hostnames').selectAll().execute()).toEqual([
      {
        hostname: 'www.example.ca',
        organization_id: context.organization.id,
        cname_target: first.cname_target,
        dns_challenge_id: first.bundle?.dns_challenge_id,
        until: app.clock.now() + HOSTNAME_RESERVED_MS,
      },
    ]);
  });

  it('is for administrators of the organization, and never for a credential', async () => {
    const { context, stranger, site, claim } = await withTwoSites();
    const input = { endpoint_id: (await claim()).id };
    const writer = (await createMember(context, 'write')).context;
    await expect(deleteEndpoint(writer, input)).rejects.toMatchObject({ code: 'permission_required' });
    const credential = credentialContext(context, [site.id]);
    await expect(deleteEndpoint(credential, input)).rejects.toMatchObject({ code: 'permission_required' });
    await expect(deleteEndpoint(stranger, input)).rejects.toMatchObject({ code: 'endpoint_not_found' });
    const admin = (await createMember(context, 'admin')).context;
    await expect(deleteEndpoint(admin, input)).resolves.toBeUndefined();
  });

  it('happens once when two ask at the same time', async () => {
    const { app, context, claim } = await withTwoSites();
    const input = { endpoint_id: (await claim()).id };
    const results = await atOnce(app, [
      () => deleteEndpoint(context, input),
      () => deleteEndpoint(context, input),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const rows = await auditRows(context, input.endpoint_id);
    expect(rows.filter(({ action }) => action === 'endpoint.delete')).toHaveLength(1);
  });
});
