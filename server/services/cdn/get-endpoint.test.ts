import { expect, it } from 'vitest';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { createSite } from '../sites/create-site.ts';
import { getEndpoint } from './get-endpoint.ts';

it('an endpoint is read with its bundle, and by its https address once the certificate is there', async () => {
  const { app, context, claim } = await withTwoSites();
  const endpoint = await claim();
  const input = { endpoint_id: endpoint.id };
  expect(await getEndpoint(context, input)).toEqual(endpoint);
  await app.db.updateTable('certificate_bundles').set({ issued_at: app.clock.now() }).execute();
  expect(await getEndpoint(context, input)).toMatchObject({
    url: 'https://www.example.ca:8443',
    bundle: { issued_at: '2026-03-01T12:00:00.000Z' },
  });
});

it('an endpoint does not exist for another organization, nor for a credential when it has no site', async () => {
  const { context, stranger, site, claim, redirect } = await withTwoSites();
  const input = { endpoint_id: (await claim()).id };
  const missing = { code: 'endpoint_not_found' };
  await expect(getEndpoint(stranger, input)).rejects.toMatchObject(missing);
  await expect(getEndpoint(context, { endpoint_id: 'unknown' })).rejects.toMatchObject(missing);
  const credential = credentialContext(context, [site.id], ['read']);
  expect(await getEndpoint(credential, input)).toMatchObject({ hostname: 'www.example.ca' });
  const other = await createSite(context, { name: 'Other' });
  await expect(getEndpoint(credentialContext(context, [other.id]), input)).rejects.toMatchObject({
    code: 'out_of_scope',
  });
  const { id } = await redirect('old.example.ca', 'https://www.example.ca');
  await expect(getEndpoint(credential, { endpoint_id: id })).rejects.toMatchObject(missing);
});
