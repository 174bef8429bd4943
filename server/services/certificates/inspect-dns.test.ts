import { describe, expect, it } from 'vitest';
import type { App } from '#server/context.ts';
import type { CaaRecord } from '#server/dns-client/dns-lookup.ts';
import { EDGE_IPV4, EDGE_IPV6, markIssued, withDns, withPublicAuthority } from '#tests/support/dns-world.ts';
import { inspectBundle } from './inspect-bundle.ts';
import { factOf } from './inspection-rules.ts';
import type { DnsFact } from './schema.ts';

async function look(app: App, bundleId: string) {
  const report = await inspectBundle(app, bundleId);
  if (!report) throw new Error('the bundle is there');
  const fact = (name: DnsFact['fact']) => {
    const found = factOf(report, name);
    if (!found) throw new Error(`no fact ${name}`);
    return found;
  };
  return { report, traffic: fact('traffic'), challenge: fact('challenge'), caa: fact('caa') };
}

describe('traffic', () => {
  it('reaches us by an alias of the target, through a chain too, and that is a proof', async () => {
    const { app, dns, bundle, endpoint } = await withDns();
    dns.set('www.example.ca', { cname: 'sites.example.ca' });
    dns.set('sites.example.ca', { cname: endpoint.cname_target });
    const { report, traffic } = await look(app, bundle.id);
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
    const { report, traffic } = await look(app, bundle.id);
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
    const { report, traffic } = await look(app, bundle.id);
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
    const { report, traffic } = await look(app, bundle.id);
    expect(traffic).toMatchObject({ status, problem, found });
    expect(report).toMatchObject({ is_reached: false, is_proven: false });
  });

  it('a long chain ends like one that leads nowhere', async () => {
    const { app, dns, bundle, endpoint } = await withDns();
    dns.set('www.example.ca', { cname: 'hop1.example.ca' });
    for (let hop = 1; hop < 12; hop += 1) {
      dns.set(`hop${hop}.example.ca`, {
        cname: hop === 11 ? endpoint.cname_target : `hop${hop + 1}.example.ca`,
      });
    }
    const { traffic } = await look(app, bundle.id);
    expect(traffic).toMatchObject({ status: 'wrong', problem: 'dangling' });
    expect(traffic.found).toHaveLength(8);
  });

  it('an unknown domain, and the two ways to set a domain twice, are told apart', async () => {
    const { app, dns, bundle, endpoint } = await withDns();
    dns.set('www.example.ca.example.ca', { cname: endpoint.cname_target });
    expect((await look(app, bundle.id)).traffic).toMatchObject({
      status: 'missing',
      problem: 'name_doubled',
    });
    dns.set('www.example.ca', { cname: `${endpoint.cname_target}.example.ca` });
    expect((await look(app, bundle.id)).traffic).toMatchObject({
      status: 'wrong',
      problem: 'target_doubled',
    });
    dns.records.clear();
    const { traffic, challenge } = await look(app, bundle.id);
    expect(traffic).toMatchObject({ status: 'missing', problem: 'domain_missing', found: [] });
    expect(challenge).toMatchObject({ status: 'missing', problem: 'domain_missing' });
  });

  it('at the top of a zone an alias is asked for or our addresses, wherever the zone is cut', async () => {
    const { app, dns, bundle, endpoint } = await withDns('shop.example.ca');
    dns.set('shop.example.ca', { soa: 'ns1.example.ca', ipv4: ['198.51.100.1'] });
    const { report, traffic } = await look(app, bundle.id);
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
    const { report, traffic, challenge } = await look(app, bundle.id);
    expect(traffic).toMatchObject({ status: 'unknown', problem });
    expect(challenge).toMatchObject({ status: 'unknown', problem });
    expect(report).toMatchObject({ is_reached: false, is_delegated: false, can_issue: false });
  });

  it('is unknown where our own addresses cannot be looked up, and is not taken for somebody else’s', async () => {
    const { app, dns, bundle, endpoint } = await withDns('example.ca', {
      environment: { EDGE_ADDRESSES: '' },
    });
    dns.set('example.ca', { soa: 'ns1.example.ca', ipv4: ['198.51.100.8'] });
    dns.set(endpoint.cname_target, { failure: 'timeout' });
    expect((await look(app, bundle.id)).traffic).toMatchObject({ status: 'unknown' });
  });

  it('can be switched without an interruption once the certificate is there', async () => {
    const { app, dns, bundle, delegate, point } = await withDns();
    delegate();
    dns.set('www.example.ca', { ...elsewhere, ipv4: [...elsewhere.ipv4] });
    expect((await look(app, bundle.id)).report.is_safe_to_switch).toBe(false);
    await markIssued(app, bundle.id, 90 * 86_400_000);
    expect((await look(app, bundle.id)).report.is_safe_to_switch).toBe(true);
    point();
    expect((await look(app, bundle.id)).report.is_safe_to_switch).toBe(false);
  });
});

describe('the challenge', () => {
  it('stands when its name is an alias of ours, through a chain too', async () => {
    const { app, dns, bundle, delegate } = await withDns();
    delegate();
    const { report, challenge } = await look(app, bundle.id);
    expect(challenge).toMatchObject({ status: 'ok', name: '_acme-challenge.www.example.ca', problem: null });
    expect(report).toMatchObject({ is_delegated: true, is_proven: true, can_issue: true, is_reached: false });
    dns.set(bundle.challenge_name, { cname: 'acme.example.net' });
    dns.set('acme.example.net', { cname: bundle.challenge_target });
    expect((await look(app, bundle.id)).report.is_delegated).toBe(true);
  });

  it.each([
    ['record_missing', 'missing', {}, []],
    ['points_elsewhere', 'wrong', { cname: 'old.example.net' }, ['CNAME old.example.net']],
    ['challenge_is_text', 'wrong', { txt: ['a "quoted" value'] }, ['TXT "a \\"quoted\\" value"']],
  ] as const)('%s is told (%s)', async (problem, status, records, found) => {
    const { app, dns, bundle } = await withDns();
    if (Object.keys(records).length > 0) dns.set(bundle.challenge_name, JSON.parse(JSON.stringify(records)));
    const { report, challenge } = await look(app, bundle.id);
    expect(challenge).toMatchObject({ status, problem, found, expected: [bundle.challenge_target] });
    expect(report).toMatchObject({ is_delegated: false, is_proven: false, can_issue: false });
  });

  it('a domain that was set twice is seen', async () => {
    const { app, dns, bundle } = await withDns();
    dns.set(`${bundle.challenge_name}.example.ca`, { cname: bundle.challenge_target });
    expect((await look(app, bundle.id)).challenge).toMatchObject({ problem: 'name_doubled' });
    dns.set(bundle.challenge_name, { cname: `${bundle.challenge_target}.example.ca` });
    expect((await look(app, bundle.id)).challenge).toMatchObject({ problem: 'target_doubled' });
  });

  it('is right but of no use while nobody can see our zone; our own authority does not look', async () => {
    const { app, dns, bundle, delegate } = await withDns();
    delegate();
    for (const records of [undefined, { failure: 'failed' } as const]) {
      dns.records.delete('acme.portage.example');
      if (records) dns.set('acme.portage.example', records);
      const { report, challenge } = await look(withPublicAuthority(app), bundle.id);
      expect(challenge).toMatchObject({ status: 'wrong', problem: 'challenge_zone_unreachable' });
      expect(report).toMatchObject({ is_delegated: true, is_proven: true, can_issue: false });
      expect((await look(app, bundle.id)).report.can_issue).toBe(true);
    }
  });
});

describe('CAA', () => {
  const issue = (value: string, tag = 'issue'): CaaRecord => ({ isCritical: false, tag, value });

  it('of the nearest name decides, and others above it do not', async () => {
    const { app, dns, bundle, delegate } = await withDns();
    delegate();
    dns.set('example.ca', { soa: 'ns1.example.ca', caa: [issue('other.example')] });
    const forbidden = await look(withPublicAuthority(app), bundle.id);
    expect(forbidden.caa).toEqual({
      fact: 'caa',
      status: 'wrong',
      name: 'example.ca',
      type: 'CAA',
      expected: ['0 issue "ca.example"'],
      found: ['CAA 0 issue "other.example"'],
      problem: 'caa_forbids',
    });
    expect(forbidden.report).toMatchObject({ is_delegated: true, can_issue: false });
    dns.set('www.example.ca', { cname: 'host.example.net' });
    dns.set('host.example.net', { caa: [issue('CA.example')] });
    const allowed = await look(withPublicAuthority(app), bundle.id);
    expect(allowed.caa).toMatchObject({ status: 'ok', name: 'www.example.ca', problem: null });
    expect(allowed.report.can_issue).toBe(true);
  });

  it('is fine where there is none, and does not matter to our own authority', async () => {
    const { app, dns, bundle } = await withDns();
    expect((await look(withPublicAuthority(app), bundle.id)).caa).toMatchObject({ status: 'ok', found: [] });
    dns.set('example.ca', { soa: 'ns1.example.ca', caa: [issue(';')] });
    expect((await look(app, bundle.id)).caa).toMatchObject({ status: 'ok', found: [], expected: [] });
  });

  it('that cannot be looked up is unknown; so is ours while the authority does not say its name', async () => {
    const { app, dns, bundle, delegate } = await withDns();
    delegate();
    dns.set('example.ca', { failure: 'failed' });
    const { caa, report } = await look(withPublicAuthority(app), bundle.id);
    expect(caa).toMatchObject({ status: 'unknown', name: 'example.ca', problem: 'resolver_failed' });
    expect(report.can_issue).toBe(true);
    const shy = withPublicAuthority(app);
    shy.authority.caaIdentities = () => Promise.reject(new Error('away'));
    dns.set('example.ca', { soa: 'ns1.example.ca', caa: [issue('other.example')] });
    expect((await look(shy, bundle.id)).caa).toMatchObject({ status: 'unknown', problem: null });
    dns.set('example.ca', { soa: 'ns1.example.ca' });
    expect((await look(shy, bundle.id)).caa).toMatchObject({ status: 'ok' });
  });
});

describe('a look', () => {
  it('asks nothing about names of this machine, which are right', async () => {
    const { app, dns, bundle } = await withDns('shop.localhost');
    const asked: string[] = [];
    for (const type of ['cname', 'ipv4', 'ipv6', 'txt', 'soa'] as const) {
      dns[type] = async (name: string) => {
        asked.push(name);
        return { kind: 'failed' };
      };
    }
    const { report } = await look(app, bundle.id);
    expect(report).toMatchObject({ is_reached: true, is_delegated: true, is_proven: true, can_issue: true });
    expect(report.facts.map(({ fact, status }) => [fact, status])).toEqual([
      ['traffic', 'ok'],
      ['challenge', 'ok'],
      ['caa', 'ok'],
    ]);
    expect(asked).toEqual([]);
  });

  it('at a wildcard of the platform is about the challenge and CAA alone', async () => {
    const { app, dns, bundle } = await withDns();
    await app.db
      .updateTable('certificate_bundles')
      .set({ organization_id: null, endpoint_id: null, domain_name: '*.sites.example.ca' })
      .where('id', '=', bundle.id)
      .execute();
    dns.set('_acme-challenge.sites.example.ca', { cname: bundle.challenge_target });
    dns.set('sites.example.ca', {
      caa: [
        { isCritical: false, tag: 'issue', value: 'ca.example' },
        { isCritical: false, tag: 'issuewild', value: ';' },
      ],
    });
    const report = await inspectBundle(withPublicAuthority(app), bundle.id);
    expect(report?.facts).toMatchObject([
      { fact: 'challenge', status: 'ok', name: '_acme-challenge.sites.example.ca' },
      { fact: 'caa', status: 'wrong', expected: ['0 issuewild "ca.example"'] },
    ]);
    expect(report).toMatchObject({ is_reached: true, is_delegated: true, can_issue: false });
    dns.records.clear();
    expect(await inspectBundle(app, bundle.id)).toMatchObject({ can_issue: true });
  });

  it('shows what others wrote as bounded, printable text', async () => {
    const { app, dns, bundle } = await withDns();
    dns.set(bundle.challenge_name, {
      txt: [`\u0007\u001b[31m"${'é'.repeat(10_000)}`, ...Array(100).fill('x')],
    });
    dns.set('www.example.ca', { cname: `\u202e${'a'.repeat(10_000)}.example` });
    const { report, challenge, traffic } = await look(app, bundle.id);
    expect(challenge.problem).toBe('challenge_is_text');
    expect(challenge.found[0]).toMatch(/^TXT "\\007\\027\[31m\\"\\195\\169/);
    for (const text of [...challenge.found, ...traffic.found]) expect(text).toMatch(/^[ -~]{1,330}$/);
    expect(challenge.found).toHaveLength(16);
    expect(JSON.stringify(report).length).toBeLessThan(10_000);
  });

  it('survives a look-up that throws', async () => {
    const { app, dns, bundle } = await withDns();
    dns.cname = () => Promise.reject(new Error('broken'));
    const { challenge } = await look(app, bundle.id);
    expect(challenge).toMatchObject({ status: 'unknown', problem: 'resolver_failed' });
  });
});
