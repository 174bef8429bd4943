import { describe, expect, it } from 'vitest';
import type { CaaRecord } from '#server/dns-client/dns-lookup.ts';
import { jobContext } from '#tests/support/app/job-context.ts';
import { lookAt, withDns, withPublicAuthority } from '#tests/support/dns/dns-world.ts';
import { inspectBundle } from './inspect-bundle.ts';

describe('the challenge', () => {
  it('is in place when its name is an alias of ours, also through a chain', async () => {
    const { app, dns, bundle, delegate } = await withDns();
    delegate();
    const { report, challenge } = await lookAt(app, bundle.id);
    expect(challenge).toMatchObject({ status: 'ok', name: '_acme-challenge.www.example.ca', problem: null });
    expect(report).toMatchObject({ is_delegated: true, is_proven: true, can_issue: true, is_reached: false });
    dns.set(bundle.challenge_name, { cname: 'acme.example.net' });
    dns.set('acme.example.net', { cname: bundle.challenge_target });
    expect((await lookAt(app, bundle.id)).report.is_delegated).toBe(true);
  });

  it.each([
    ['record_missing', 'missing', {}, []],
    ['points_elsewhere', 'wrong', { cname: 'old.example.net' }, ['CNAME old.example.net']],
    ['challenge_is_text', 'wrong', { txt: ['a "quoted" value'] }, ['TXT "a \\"quoted\\" value"']],
  ] as const)('%s is told (%s)', async (problem, status, records, found) => {
    const { app, dns, bundle } = await withDns();
    if (Object.keys(records).length > 0) dns.set(bundle.challenge_name, JSON.parse(JSON.stringify(records)));
    const { report, challenge } = await lookAt(app, bundle.id);
    expect(challenge).toMatchObject({ status, problem, found, expected: [bundle.challenge_target] });
    expect(report).toMatchObject({ is_delegated: false, is_proven: false, can_issue: false });
  });

  it('with the domain set twice is recognized', async () => {
    const { app, dns, bundle } = await withDns();
    dns.set(`${bundle.challenge_name}.example.ca`, { cname: bundle.challenge_target });
    expect((await lookAt(app, bundle.id)).challenge).toMatchObject({ problem: 'name_doubled' });
    dns.set(bundle.challenge_name, { cname: `${bundle.challenge_target}.example.ca` });
    expect((await lookAt(app, bundle.id)).challenge).toMatchObject({ problem: 'target_doubled' });
  });

  it('is correct but useless while our zone is not visible; our own authority does not check', async () => {
    const { app, dns, bundle, delegate } = await withDns();
    delegate();
    for (const records of [undefined, { failure: 'failed' } as const]) {
      dns.records.delete('acme.portage.example');
      if (records) dns.set('acme.portage.example', records);
      const { report, challenge } = await lookAt(withPublicAuthority(app), bundle.id);
      expect(challenge).toMatchObject({ status: 'wrong', problem: 'challenge_zone_unreachable' });
      expect(report).toMatchObject({ is_delegated: true, is_proven: true, can_issue: false });
      expect((await lookAt(app, bundle.id)).report.can_issue).toBe(true);
    }
  });
});

describe('CAA', () => {
  const issue = (value: string, tag = 'issue'): CaaRecord => ({ isCritical: false, tag, value });

  it('of the nearest name decides, and others above it do not', async () => {
    const { app, dns, bundle, delegate } = await withDns();
    delegate();
    dns.set('example.ca', { soa: 'ns1.example.ca', caa: [issue('other.example')] });
    const forbidden = await lookAt(withPublicAuthority(app), bundle.id);
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
    const allowed = await lookAt(withPublicAuthority(app), bundle.id);
    expect(allowed.caa).toMatchObject({ status: 'ok', name: 'www.example.ca', problem: null });
    expect(allowed.report.can_issue).toBe(true);
  });

  it('is fine when absent, and does not apply to our own authority', async () => {
    const { app, dns, bundle } = await withDns();
    expect((await lookAt(withPublicAuthority(app), bundle.id)).caa).toMatchObject({
      status: 'ok',
      found: [],
    });
    dns.set('example.ca', { soa: 'ns1.example.ca', caa: [issue(';')] });
    expect((await lookAt(app, bundle.id)).caa).toMatchObject({ status: 'ok', found: [], expected: [] });
  });

  it('that cannot be looked up is unknown, as it is while the authority’s CAA names are unknown', async () => {
    const { app, dns, bundle, delegate } = await withDns();
    delegate();
    dns.set('example.ca', { failure: 'failed' });
    const { caa, report } = await lookAt(withPublicAuthority(app), bundle.id);
    expect(caa).toMatchObject({ status: 'unknown', name: 'example.ca', problem: 'resolver_failed' });
    expect(report.can_issue).toBe(true);
    const shy = withPublicAuthority(app);
    shy.authority.caaIdentities = () => Promise.reject(new Error('away'));
    dns.set('example.ca', { soa: 'ns1.example.ca', caa: [issue('other.example')] });
    expect((await lookAt(shy, bundle.id)).caa).toMatchObject({ status: 'unknown', problem: null });
    dns.set('example.ca', { soa: 'ns1.example.ca' });
    expect((await lookAt(shy, bundle.id)).caa).toMatchObject({ status: 'ok' });
  });
});

describe('an inspection', () => {
  it('asks nothing about names of this machine, which are always correct', async () => {
    const { app, dns, bundle } = await withDns('shop.localhost');
    const asked: string[] = [];
    for (const type of ['cname', 'ipv4', 'ipv6', 'txt', 'soa'] as const) {
      dns[type] = async (name: string) => {
        asked.push(name);
        return { kind: 'failed' };
      };
    }
    const { report } = await lookAt(app, bundle.id);
    expect(report).toMatchObject({ is_reached: true, is_delegated: true, is_proven: true, can_issue: true });
    expect(report.facts.map(({ fact, status }) => [fact, status])).toEqual([
      ['traffic', 'ok'],
      ['challenge', 'ok'],
      ['caa', 'ok'],
    ]);
    expect(asked).toEqual([]);
  });

  it('of a wildcard of the platform covers only the challenge and CAA', async () => {
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
    const report = await inspectBundle(jobContext(withPublicAuthority(app)), bundle.id);
    expect(report?.facts).toMatchObject([
      { fact: 'challenge', status: 'ok', name: '_acme-challenge.sites.example.ca' },
      { fact: 'caa', status: 'wrong', expected: ['0 issuewild "ca.example"'] },
    ]);
    expect(report).toMatchObject({ is_reached: true, is_delegated: true, can_issue: false });
    dns.records.clear();
    expect(await inspectBundle(jobContext(app), bundle.id)).toMatchObject({ can_issue: true });
  });

  it('shows what others wrote as printable text of limited length', async () => {
    const { app, dns, bundle } = await withDns();
    dns.set(bundle.challenge_name, {
      txt: [`\u0007\u001b[31m"${'é'.repeat(10_000)}`, ...Array(100).fill('x')],
    });
    dns.set('www.example.ca', { cname: `\u202e${'a'.repeat(10_000)}.example` });
    const { report, challenge, traffic } = await lookAt(app, bundle.id);
    expect(challenge.problem).toBe('challenge_is_text');
    expect(challenge.found[0]).toMatch(/^TXT "\\007\\027\[31m\\"\\195\\169/);
    for (const text of [...challenge.found, ...traffic.found]) expect(text).toMatch(/^[ -~]{1,330}$/);
    expect(challenge.found).toHaveLength(16);
    expect(JSON.stringify(report).length).toBeLessThan(10_000);
  });

  it('survives a lookup that throws', async () => {
    const { app, dns, bundle } = await withDns();
    dns.cname = () => Promise.reject(new Error('broken'));
    const { challenge } = await lookAt(app, bundle.id);
    expect(challenge).toMatchObject({ status: 'unknown', problem: 'resolver_failed' });
  });
});
