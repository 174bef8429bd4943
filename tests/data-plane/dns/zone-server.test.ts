import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startZoneServer, type ZoneServer } from '#tests/support/dns/zone-server.ts';

describe('the resolver of the tests, queried with Node', () => {
  let server: ZoneServer;
  let upstream: ZoneServer;
  const resolver = new Resolver({ timeout: 200, tries: 1 });

  beforeAll(async () => {
    server = await startZoneServer();
    upstream = await startZoneServer();
    resolver.setServers([server.address]);
    server.set('example.ca', { soa: 'ns1.example.net', ipv4: ['192.0.2.1'] });
    server.set('www.example.ca', { cname: 'target.edge.example.net' });
    server.set('target.edge.example.net', {
      ipv4: ['192.0.2.7', '192.0.2.8'],
      ipv6: ['2001:db8::7'],
      caa: [{ isCritical: true, tag: 'issue', value: 'ca.example.net' }],
    });
  });

  afterAll(async () => {
    resolver.cancel();
    await Promise.all([server.close(), upstream.close()]);
  });

  it('answers each type, through aliases', async () => {
    expect(await resolver.resolveCname('WWW.example.ca')).toEqual(['target.edge.example.net']);
    expect((await resolver.resolve4('www.example.ca')).toSorted()).toEqual(['192.0.2.7', '192.0.2.8']);
    expect(await resolver.resolve6('www.example.ca')).toEqual(['2001:db8::7']);
    expect(await resolver.resolveCaa('www.example.ca')).toEqual([
      expect.objectContaining({ critical: 128, issue: 'ca.example.net' }),
    ]);
    expect((await resolver.resolveSoa('example.ca')).nsname).toBe('ns1.example.net');
  });

  it('distinguishes a missing record from an unknown name', async () => {
    await expect(resolver.resolve6('example.ca')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolve4('edge.example.net')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolve4('nothing.example.ca')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('fails and stays silent when told to, and forgets what is deleted', async () => {
    server.set('broken.example.ca', { failure: 'failed' });
    server.set('silent.example.ca', { failure: 'timeout' });
    await expect(resolver.resolve4('broken.example.ca')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    await expect(resolver.resolve4('silent.example.ca')).rejects.toMatchObject({ code: 'ETIMEOUT' });
    server.delete('broken.example.ca');
    await expect(resolver.resolve4('broken.example.ca')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('returns long and many texts by tcp', async () => {
    const texts = Array.from({ length: 30 }, (_, index) => `${index}-`.padEnd(300, 'x'));
    server.set('texts.example.ca', { txt: texts });
    const found = await resolver.resolveTxt('texts.example.ca');
    expect(found.map((parts) => parts.join('')).toSorted()).toEqual(texts.toSorted());
  });

  it('returns the responses of a suffix’s name server, even at the end of a chain', async () => {
    server.forward('acme.example.net', upstream.address);
    upstream.set('abc.acme.example.net', { txt: ['one', 'two'] });
    server.set('_acme-challenge.www.example.ca', { cname: 'abc.acme.example.net' });
    expect((await resolver.resolveTxt('_acme-challenge.www.example.ca')).flat().toSorted()).toEqual([
      'one',
      'two',
    ]);
    await expect(resolver.resolveTxt('def.acme.example.net')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
