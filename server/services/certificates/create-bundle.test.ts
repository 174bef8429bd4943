import { describe, expect, it } from 'vitest';
import { createEndpoint } from '#server/services/cdn/create-endpoint.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { createBundle } from './create-bundle.ts';

/** An endpoint of an earlier release: it has no bundle. */
async function prepare(hostname = 'www.example.ca') {
  const app = await createTestApp();
  const person = await createTestPerson(app);
  const endpoint = await createEndpoint(person.context, {
    hostname,
    origin_type: 'redirect',
    redirect_target: 'https://example.ca/',
  });
  const first = endpoint.bundle;
  await app.db.deleteFrom('certificate_bundles').execute();
  const create = () => createBundle(person.context, { endpoint_id: endpoint.id });
  return { app, person, endpoint, first, create };
}

describe('a bundle for an endpoint that has none', () => {
  it('has its own record to set, and is inspected immediately and recorded', async () => {
    const { app, endpoint, first, create } = await prepare();
    const bundle = await create();
    expect(bundle).toMatchObject({
      domain_name: 'www.example.ca',
      challenge_name: '_acme-challenge.www.example.ca',
      dns_validated: false,
      dns_challenge_validated: false,
      issued_at: null,
      next_attempt_at: null,
    });
    expect(bundle.dns_challenge_id).toMatch(/^[a-z2-7]{20}$/);
    expect(bundle.dns_challenge_id).not.toBe(first?.dns_challenge_id);
    expect(bundle.challenge_target).toBe(`${bundle.dns_challenge_id}.${app.config.acmeZone}`);
    const row = await app.db.selectFrom('certificate_bundles').selectAll().executeTakeFirstOrThrow();
    expect(row.next_check_at).toBe(app.clock.now());
    const audit = await app.db
      .selectFrom('audit_events')
      .select(['resource_id', 'after'])
      .where('action', '=', 'certificate.create')
      .execute();
    expect(audit).toEqual([
      { resource_id: endpoint.id, after: JSON.stringify({ hostname: 'www.example.ca' }) },
    ]);
  });

  it('of a name of this machine is issued immediately: it needs no record', async () => {
    const { app, create } = await prepare('shop.localhost');
    expect(await create()).toMatchObject({
      dns_validated: true,
      dns_challenge_validated: true,
      next_attempt_at: new Date(app.clock.now()).toISOString(),
    });
  });

  it('is created once, however many ask at the same time', async () => {
    const { app, create } = await prepare();
    const ended = await atOnce(app, [create, create, create]);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const end of ended.filter(({ status }) => status === 'rejected')) {
      expect(end).toMatchObject({ reason: { code: 'bundle_exists' } });
    }
  });

  it('is refused to readers and to other organizations', async () => {
    const { app, person, endpoint } = await prepare();
    const other = await createTestPerson(app);
    await expect(createBundle(other.context, { endpoint_id: endpoint.id })).rejects.toMatchObject({
      code: 'endpoint_not_found',
    });
    const reader = await joinOrganization(other, person.organization.id, 'read');
    await expect(createBundle(reader, { endpoint_id: endpoint.id })).rejects.toMatchObject({
      code: 'permission_required',
    });
  });
});
