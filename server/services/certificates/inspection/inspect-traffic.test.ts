import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { markProven } from '#tests/support/certificates/endpoints.ts';
import { EDGE_IPV4, EDGE_IPV6, lookAt, markIssued, withDns } from '#tests/support/dns/dns-world.ts';

describe('traffic', () => {
  it('reaches us by an alias of the target, also through a chain, which is a proof', async () => {
    const { app, dns, bundle, endpoint } = await withDns();
    dns.set('www.example.ca', { cname: 'sites.example.ca' });
    dns.set('sites.example.ca', { cname: endpoint.cname_target });
    const { report, traffic } = await lookAt(app, bundle.id);
    expect(traffic).toEqual({
      fact: 'traffic',
      status: 'ok',
      name: 'www.example.ca',
      type: 'CNAME',
      expected: [endpoint.cname_target],
      found: ['CNAME sites.example.ca', `CNAME ${endpoint.cname_target}`],
      problem: null,
    });
    expect(report).toMatchObject({ is_reached: true, is_proven: true, is_apex: false, can_issue: false });
  });

  it('reaches us by our addresses, which prove nothing, however an address is written', async () => {
    const { app, dns, bundle } = await withDns();
    dns.set('www.example.ca', { ipv4: [EDGE_IPV4], ipv6: ['2001:0DB8:0:0::0010'] });
    const { report, traffic } = await lookAt(app, bundle.id);
    expect(traffic).toMatchObject({
      status: 'ok',
      found: [`A ${EDGE_IPV4}`, 'AAAA 2001:0DB8:0:0::0010'],
    });
    expect(report).toMatchObject({ is_reached: true, is_proven: false });
  });

  it('reaches us from the top of a domain by whatever addresses the target has', async () => {
    const { app, dns, bundle, endpoint } = await withDns('example.ca', {
      environment: { EDGE_ADDRESSES: '' },
    });
    dns.set(endpoint.cname_target, { ipv4: ['198.51.100.7', '198.51.100.8'] });
    dns.set('example.ca', { soa: 'ns1.example.ca', ipv4: ['198.51.100.8'] });
    const { report, traffic } = await lookAt(app, bundle.id);
    expect(traffic).toMatchObject({ status: 'ok', type: 'ALIAS', expected: [endpoint.cname_target] });
    expect(report).toMatchObject({ is_apex: true, is_reached: true, is_proven: false });
  });

  const elsewhere = { ipv4: ['198.51.100.1'] };
  it.each([
    ['record_missing', 'missing', {}, []],
    ['points_elsewhere', 'wrong', { 'www.example.ca': elsewhere }, ['A 198.51.100.1']],
    [
      'points_elsewhere',
      'wrong',
      { 'www.example.ca': { cname: 'old.example.net' }, 'old.example.net': elsewhere },
      ['CNAME old.example.net', 'A 198.51.100.1'],
    ],
    [
      'points_elsewhere',
      'wrong',
      { 'www.example.ca': { ipv4: [EDGE_IPV4, '198.51.100.1'] } },
      [`A ${EDGE_IPV4}`, 'A 198.51.100.1'],
    ],
    ['dangling', 'wrong', { 'www.example.ca': { cname: 'gone.example.net' } }, ['CNAME gone.example.net']],
    [
      'dangling',
      'wrong',
      { 'www.example.ca': { cname: 'a.example.ca' }, 'a.example.ca': { cname: 'www.example.ca' } },
      ['CNAME a.example.ca', 'CNAME www.example.ca'],
    ],
    [
      'stale_ipv6',
      'wrong',
      { 'www.example.ca': { ipv4: [EDGE_IPV4], ipv6: ['2001:db8:ffff::1'] } },
      [`A ${EDGE_IPV4}`, 'AAAA 2001:db8:ffff::1'],
    ],
    [
      'stale_ipv6',
      'wrong',
      { 'www.example.ca': { ...elsewhere, ipv6: [EDGE_IPV6] } },
      ['A 198.51.100.1', `AAAA ${EDGE_IPV6}`],
    ],
    [
      'proxied',
      'wrong',
      { 'www.example.ca': { ipv4: ['104.16.1.1'], ipv6: ['2606:4700::1'] } },
      ['A 104.16.1.1 ; Cloudflare', 'AAAA 2606:4700::1 ; Cloudflare'],
    ],
  ] as const)('%s is told (%s): %j', async (problem, status, records, found) => {
    const { app, dns, bundle } = await withDns();
    for (const [name, record] of Object.entries(records)) dns.set(name, { ...record });
    const { report, traffic } = await lookAt(app, bundle.id);
    expect(traffic).toMatchObject({ status, problem, found });
    expect(report).toMatchObject({ is_reached: false, is_proven: false });
  });

  it('a long chain counts as one that leads nowhere', async () => {
    const { app, dns, bundle, endpoint } = await withDns();
    dns.set('www.example.ca', { cname: 'hop1.example.ca' });
    for (let hop = 1; hop < 12; hop += 1) {
      dns.set(`hop${hop}.example.ca`, {
        cname: hop === 11 ? endpoint.cname_target : `hop${hop + 1}.example.ca`,
      });
    }
    const { traffic } = await lookAt(app, bundle.id);
    expect(traffic).toMatchObject({ status: 'wrong', problem: 'dangling' });
    expect(traffic.found).toHaveLength(8);
  });

  it('an unknown domain, and the two ways to set a domain twice, are distinguished', async () => {
    const { app, dns, bundle, endpoint } = await withDns();
    dns.set('www.example.ca.example.ca', { cname: endpoint.cname_target });
    expect((await lookAt(app, bundle.id)).traffic).toMatchObject({
      status: 'missing',
      problem: 'name_doubled',
    });
    dns.set('www.example.ca', { cname: `${endpoint.cname_target}.example.ca` });
    expect((await lookAt(app, bundle.id)).traffic).toMatchObject({
      status: 'wrong',
      problem: 'target_doubled',
    });
    dns.records.clear();
    const { traffic, challenge } = await lookAt(app, bundle.id);
    expect(traffic).toMatchObject({ status: 'missing', problem: 'domain_missing', found: [] });
    expect(challenge).toMatchObject({ status: 'missing', problem: 'domain_missing' });
  });

  it('at the top of a zone an alias or our addresses are expected, wherever the zone is cut', async () => {
    const { app, dns, bundle, endpoint } = await withDns('shop.example.ca');
    dns.set('shop.example.ca', { soa: 'ns1.example.ca', ipv4: ['198.51.100.1'] });
    const { report, traffic } = await lookAt(app, bundle.id);
    expect(report.is_apex).toBe(true);
    expect(traffic).toMatchObject({
      status: 'wrong',
      problem: 'apex_elsewhere',
      type: 'ALIAS',
      expected: [endpoint.cname_target, EDGE_IPV4, EDGE_IPV6],
    });
  });

  it.each([
    ['timeout', 'resolver_timeout'],
    ['failed', 'resolver_failed'],
  ] as const)('is unknown after %s, not missing', async (failure, problem) => {
    const { app, dns, bundle } = await withDns();
    for (const name of ['www.example.ca', bundle.challenge_name]) dns.set(name, { failure });
    const { report, traffic, challenge } = await lookAt(app, bundle.id);
    expect(traffic).toMatchObject({ status: 'unknown', problem });
    expect(challenge).toMatchObject({ status: 'unknown', problem });
    expect(report).toMatchObject({ is_reached: false, is_delegated: false, can_issue: false });
  });

  it('is unknown when our own addresses cannot be looked up, and is not reported as leading elsewhere', async () => {
    const { app, dns, bundle, endpoint } = await withDns('example.ca', {
      environment: { EDGE_ADDRESSES: '' },
    });
    dns.set('example.ca', { soa: 'ns1.example.ca', ipv4: ['198.51.100.8'] });
    dns.set(endpoint.cname_target, { failure: 'timeout' });
    expect((await lookAt(app, bundle.id)).traffic).toMatchObject({ status: 'unknown' });
  });

  it('can be switched without interruption once the certificate is there', async () => {
    const { app, dns, bundle, delegate, point } = await withDns();
    delegate();
    dns.set('www.example.ca', { ...elsewhere, ipv4: [...elsewhere.ipv4] });
    expect((await lookAt(app, bundle.id)).report.is_safe_to_switch).toBe(false);
    await markIssued(app, bundle.id, 90 * DAY_MS);
    expect((await lookAt(app, bundle.id)).report.is_safe_to_switch).toBe(true);
    point();
    expect((await lookAt(app, bundle.id)).report.is_safe_to_switch).toBe(false);
  });

  it('can be switched without its challenge record too, once the hostname was proven', async () => {
    const { app, dns, bundle, endpoint } = await withDns();
    dns.set('www.example.ca', { ...elsewhere, ipv4: [...elsewhere.ipv4] });
    await markIssued(app, bundle.id, 90 * DAY_MS);
    expect((await lookAt(app, bundle.id)).report.is_safe_to_switch).toBe(false);
    await markProven(app, endpoint.id);
    expect((await lookAt(app, bundle.id)).report.is_safe_to_switch).toBe(true);
  });
});
