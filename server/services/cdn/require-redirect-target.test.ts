import { describe, expect, it } from 'vitest';
import { atOnce } from '#tests/support/at-once.ts';
import { markProven, withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { createEndpoint } from './create-endpoint.ts';
import { updateEndpoint } from './update-endpoint.ts';

const loop = { code: 'redirect_loop' };

describe('a redirect', () => {
  it('is refused with the problem as a code and as text', async () => {
    const { redirect } = await withTwoSites();
    await expect(redirect('a.example.ca', 'https://192.0.2.1/')).rejects.toMatchObject({
      code: 'redirect_target_invalid',
      params: { problem: 'address', reason: 'its host is an IP address' },
    });
  });

  it('never leads to itself, whatever the scheme, the path or the spelling', async () => {
    const { redirect } = await withTwoSites();
    for (const target of ['https://a.example.ca', 'http://A.example.ca.:8080/elsewhere?x=1']) {
      await expect(redirect('a.example.ca', target)).rejects.toMatchObject({
        ...loop,
        params: { hostname: 'a.example.ca' },
      });
    }
  });

  it('never leads to itself through other redirects of the organization', async () => {
    const { context, redirect } = await withTwoSites();
    await redirect('a.example.ca', 'https://b.example.ca/x');
    await redirect('b.example.ca', 'https://c.example.ca');
    await expect(redirect('c.example.ca', 'https://a.example.ca')).rejects.toMatchObject(loop);
    const last = await redirect('c.example.ca', 'https://elsewhere.example');
    const back = { endpoint_id: last.id, redirect_target: 'https://b.example.ca' };
    await expect(updateEndpoint(context, back)).rejects.toMatchObject(loop);
  });

  it('is not affected by another organization’s claims', async () => {
    const { stranger, redirect } = await withTwoSites();
    await createEndpoint(stranger, {
      hostname: 'b.example.ca',
      origin_type: 'redirect',
      redirect_target: 'https://a.example.ca',
    });
    await expect(redirect('a.example.ca', 'https://b.example.ca')).resolves.toBeTruthy();
  });

  it('stays out of a loop when two are pointed at each other at the same time', async () => {
    const { app, context, redirect } = await withTwoSites();
    const a = await redirect('a.example.ca', 'https://elsewhere.example');
    const b = await redirect('b.example.ca', 'https://elsewhere.example');
    const turn = (endpoint_id: string, redirect_target: string) => () =>
      updateEndpoint(context, { endpoint_id, redirect_target });
    const results = await atOnce(app, [
      turn(a.id, 'https://b.example.ca'),
      turn(b.id, 'https://a.example.ca'),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: loop });
  });

  it('leads to the visitor’s own computer only when this installation runs there too', async () => {
    const { redirect } = await withTwoSites();
    await expect(redirect('a.example.ca', 'http://blog.sites.localhost:8080')).resolves.toBeTruthy();
    const elsewhere = await withTwoSites({ environment: { SITES_DOMAIN: 'sites.example.net' } });
    for (const target of ['http://localhost:3000/', 'http://blog.localhost']) {
      await expect(elsewhere.redirect('b.example.ca', target)).rejects.toMatchObject({
        code: 'redirect_target_invalid',
        params: { problem: 'local' },
      });
    }
  });
});

describe('when redirects are restricted', () => {
  it('they lead to hosts of the platform and to hostnames that the organization has proven', async () => {
    const { app, context, claim, claimElsewhere, redirect } = await withTwoSites({
      environment: { REDIRECT_TARGETS: 'own' },
    });
    const refused = { code: 'redirect_target_refused', params: { suffix: 'sites.localhost' } };
    const own = await claim('www.example.ca');
    await markProven(app, (await claimElsewhere('www.example.org')).id);
    for (const target of [
      'https://elsewhere.example',
      'https://sites.localhost',
      'https://evilsites.localhost',
      'https://www.example.org',
      'https://www.example.ca',
    ]) {
      await expect(redirect('a.example.ca', target), target).rejects.toMatchObject(refused);
    }
    await markProven(app, own.id);
    const first = await redirect('a.example.ca', 'https://www.example.ca/welcome');
    await expect(redirect('b.example.ca', 'http://blog.sites.localhost:8080')).resolves.toBeTruthy();
    const elsewhere = { endpoint_id: first.id, redirect_target: 'https://elsewhere.example' };
    await expect(updateEndpoint(context, elsewhere)).rejects.toMatchObject(refused);
  });
});
