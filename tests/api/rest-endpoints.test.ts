import { describe, expect, it } from 'vitest';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { markProven } from '#tests/support/certificates/endpoints.ts';
import { credentialClient, listOf, objectOf, personClient } from '#tests/support/client/rest-client.ts';
import { FakeLookup } from '#tests/support/dns/fake-lookup.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

async function withSite() {
  const lookup = new FakeLookup();
  const { app, baseUrl } = await startConsoleServer({ lookup });
  const person = await createTestPerson(app);
  const client = personClient(baseUrl, person);
  const site = objectOf(await client('POST', '/api/v1/sites', { json: { name: 'blog' } }));
  return { app, baseUrl, lookup, person, client, site, siteId: String(site.id) };
}

describe('CDN endpoints', () => {
  it('are created, read, changed and deleted as the specification says', async () => {
    const { client, siteId } = await withSite();
    const created = await client('POST', '/api/v1/cdn/endpoints', {
      json: {
        hostname: 'https://WWW.example.ca/',
        site_id: siteId,
        origin_type: 'site',
        redirect_target: null,
      },
    });
    const endpoint = objectOf(created);
    const path = `/api/v1/cdn/endpoints/${endpoint.id}`;
    expect([created.status, created.headers.get('location')]).toEqual([201, path]);
    expect(endpoint).toMatchObject({
      hostname: 'www.example.ca',
      cname_target: expect.stringMatching(/^[a-z2-7]{20}\.edge\.localhost$/),
      origin_type: 'site',
      site_id: siteId,
      site_name: 'blog',
      redirect_target: null,
      updated_at: '2026-03-01T12:00:00.000Z',
      bundle: {
        domain_name: 'www.example.ca',
        dns_challenge_id: expect.stringMatching(/^[a-z2-7]{20}$/),
        dns_validated: false,
        dns_challenge_validated: false,
        issued_at: null,
        valid_until: null,
      },
    });
    expect(objectOf(await client('GET', path))).toEqual(endpoint);
    expect(listOf(await client('GET', '/api/v1/cdn/endpoints'))).toEqual([endpoint]);
    expect(listOf(await client('GET', '/api/v1/cdn/endpoints?site_id=other'))).toEqual([]);
    const changed = await client('PATCH', path, {
      json: { origin_type: 'redirect', redirect_target: 'https://example.ca/' },
    });
    expect(objectOf(changed)).toMatchObject({ site_id: null, redirect_target: 'https://example.ca' });
    const deleted = await client('DELETE', path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    const gone = await client('GET', path);
    expect([gone.status, objectOf(gone).detail]).toEqual([404, 'CDN endpoint not found']);
  });

  it('are created below a site with only the hostname, even by a credential of that site', async () => {
    const { baseUrl, person, client, siteId } = await withSite();
    const path = `/api/v1/sites/${siteId}/endpoints`;
    const created = await client('POST', path, { json: { hostname: 'www.example.ca' } });
    expect([created.status, objectOf(created).site_id]).toEqual([201, siteId]);
    const program = await credentialClient(baseUrl, person.context, [siteId]);
    const second = await program.client('POST', path, { json: { hostname: 'shop.example.ca' } });
    expect(second.status).toBe(201);
    const seen = listOf(await program.client('GET', '/api/v1/cdn/endpoints'));
    expect(seen.map(({ hostname }) => hostname)).toEqual(['shop.example.ca', 'www.example.ca']);
    const missing = await client('POST', '/api/v1/sites/unknown/endpoints', { json: { hostname: 'a.ca' } });
    expect([missing.status, objectOf(missing).code]).toEqual([404, 'site_not_found']);
  });

  it('explain what is wrong with a hostname or an address, as a code and in words', async () => {
    const { app, baseUrl, client, siteId } = await withSite();
    const stranger = personClient(baseUrl, await createTestPerson(app));
    const create = (json: object) => client('POST', '/api/v1/cdn/endpoints', { json });
    const wrong = await create({ hostname: '*.example.ca', site_id: siteId });
    expect([wrong.status, objectOf(wrong)]).toMatchObject([
      400,
      {
        code: 'hostname_invalid',
        detail:
          'The hostname *.example.ca cannot be used: wildcards are not supported, so add each hostname separately.',
        params: { hostname: '*.example.ca', problem: 'wildcard' },
      },
    ]);
    const endpoint = objectOf(await create({ hostname: 'www.example.ca', site_id: siteId }));
    const theirs = objectOf(await stranger('POST', '/api/v1/sites', { json: { name: 'shop' } }));
    const claim = () =>
      stranger('POST', `/api/v1/sites/${theirs.id}/endpoints`, { json: { hostname: 'www.example.ca' } });
    const taken = await claim();
    expect([taken.status, objectOf(taken).code]).toEqual([409, 'hostname_unproven']);
    await markProven(app, String(endpoint.id));
    await client('DELETE', `/api/v1/cdn/endpoints/${endpoint.id}`);
    const resting = await claim();
    expect([resting.status, objectOf(resting)]).toMatchObject([
      409,
      { code: 'hostname_resting', params: { until: '2026-03-04T12:00:00.000Z' } },
    ]);
    const redirect = { hostname: 'a.example.ca', origin_type: 'redirect' };
    const expected = [
      [{ ...redirect }, 400, 'redirect_target_required', 'redirect_target'],
      [{ ...redirect, redirect_target: '/blog' }, 400, 'redirect_target_invalid', 'redirect_target'],
      [{ ...redirect, redirect_target: 'https://a.example.ca' }, 409, 'redirect_loop', 'redirect_target'],
      [{ hostname: 'a.example.ca', origin_type: 'http' }, 400, 'origin_unavailable', 'origin_type'],
      [{ hostname: 'a.example.ca' }, 400, 'endpoint_site_required', 'site_id'],
      [{ hostname: 'blog.sites.localhost', site_id: siteId }, 409, 'hostname_reserved', 'hostname'],
      [{ hostname: '', site_id: siteId }, 400, 'invalid_input', 'hostname'],
    ] as const;
    for (const [json, status, code, field] of expected) {
      const response = await create(json);
      expect([response.status, objectOf(response)]).toMatchObject([
        status,
        { code, errors: [{ path: field }] },
      ]);
    }
  });

  it('are created once per Idempotency-Key, however often it is sent', async () => {
    const { client, siteId } = await withSite();
    const send = () =>
      client('POST', `/api/v1/sites/${siteId}/endpoints`, {
        json: { hostname: 'www.example.ca' },
        headers: { 'idempotency-key': 'first' },
      });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status, second.headers.get('idempotency-replayed')]).toEqual([
      201,
      201,
      'true',
    ]);
    expect(objectOf(second)).toEqual(objectOf(first));
  });
});

describe('certificate bundles', () => {
  it('are validated and issued once the challenge record is set', async () => {
    const { client, lookup, siteId } = await withSite();
    const endpoint = objectOf(
      await client('POST', `/api/v1/sites/${siteId}/endpoints`, { json: { hostname: 'www.example.ca' } }),
    );
    const bundle = endpoint.bundle as Record<string, string>;
    const path = `/api/v1/bundles/${bundle.id}`;
    lookup.set('example.ca', { soa: 'ns.example.ca' });
    lookup.set('www.example.ca', { ipv4: ['192.0.2.9'] });
    const early = await client('POST', `${path}/issue`);
    expect([early.status, objectOf(early).code]).toEqual([409, 'challenge_record_missing']);
    lookup.set(bundle.challenge_name ?? '', { cname: bundle.challenge_target });
    const validated = await client('POST', `${path}/validate`);
    expect(validated.status, validated.text).toBe(200);
    expect(objectOf(validated)).toMatchObject({ dns_validated: false, dns_challenge_validated: true });
    const report = objectOf(await client('GET', `${path}/dns`));
    expect(report).toMatchObject({ hostname: 'www.example.ca', is_delegated: true, is_reached: false });
    const issued = await client('POST', `${path}/issue`);
    expect(issued.status, issued.text).toBe(200);
    expect(objectOf(issued)).toMatchObject({ issued_at: '2026-03-01T12:00:00.000Z', problem: null });
    expect(objectOf(await client('GET', `/api/v1/cdn/endpoints/${endpoint.id}`))).toMatchObject({
      url: 'https://www.example.ca:8443',
      proven_at: '2026-03-01T12:00:00.000Z',
    });
    const again = await client('POST', `/api/v1/cdn/endpoints/${endpoint.id}/bundle`);
    expect([again.status, objectOf(again).code]).toEqual([409, 'bundle_exists']);
  });
});
