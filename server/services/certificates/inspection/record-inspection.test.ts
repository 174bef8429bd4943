import { describe, expect, it } from 'vitest';
import { jobContext } from '#tests/support/app/job-context.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { edgeChangesOf } from '#tests/support/certificates/endpoints.ts';
import { markIssued, withDns, withPublicAuthority } from '#tests/support/dns/dns-world.ts';
import { deleteEndpoint } from '../../cdn/delete-endpoint.ts';
import { inspectBundle } from './inspect-bundle.ts';
import { inspectDns } from './inspect-dns.ts';
import { recordInspection } from './record-inspection.ts';

const MINUTE = 60_000;
const NEVER_SEEN = {
  dns_validated_at: null,
  dns_challenge_validated_at: null,
  valid_until: null,
  proven_at: null,
};
const DAY = 24 * 60 * MINUTE;

describe('the result of an inspection', () => {
  it('is stored with since when it holds, and requests a certificate as soon as the challenge is in place', async () => {
    const world = await withDns();
    const { app, bundle, delegate, point, row, provenAt } = world;
    const announced = edgeChangesOf(world);
    await inspectBundle(jobContext(app), bundle.id);
    expect(await row()).toMatchObject({
      dns_validated_at: null,
      dns_challenge_validated_at: null,
      dns_checked_at: app.clock.now(),
      dns_problem_since: null,
      next_issue_at: null,
    });
    expect([await provenAt(), announced]).toEqual([null, []]);
    app.clock.advance(MINUTE);
    const delegatedAt = app.clock.now();
    delegate();
    await inspectBundle(jobContext(app), bundle.id);
    expect(await row()).toMatchObject({
      dns_validated_at: null,
      dns_challenge_validated_at: delegatedAt,
      next_issue_at: delegatedAt,
    });
    expect([await provenAt(), announced]).toEqual([
      delegatedAt,
      [{ site_id: null, hostname: 'www.example.ca' }],
    ]);
    app.clock.advance(MINUTE);
    point();
    const report = await inspectBundle(jobContext(app), bundle.id);
    const kept = await row();
    expect(kept).toMatchObject({
      dns_validated_at: app.clock.now(),
      dns_challenge_validated_at: delegatedAt,
      next_issue_at: delegatedAt,
    });
    expect(JSON.parse(kept.dns_report ?? '')).toEqual(report);
    expect(kept.next_check_at).toBeGreaterThan(app.clock.now());
    expect([await provenAt(), announced.length]).toEqual([delegatedAt, 1]);
  });

  it('proves control by the alias of the hostname too, but not by addresses', async () => {
    const { app, dns, bundle, point, row, provenAt } = await withDns();
    dns.set('www.example.ca', { ipv4: [...app.config.edgeAddresses].slice(0, 1) });
    await inspectBundle(jobContext(app), bundle.id);
    expect([(await row()).dns_validated_at, await provenAt()]).toEqual([app.clock.now(), null]);
    point();
    await inspectBundle(jobContext(app), bundle.id);
    expect(await provenAt()).toBe(app.clock.now());
  });

  it('undoes nothing when name servers do not respond', async () => {
    const { app, dns, bundle, delegate, point, row, provenAt } = await withDns();
    delegate();
    point();
    await inspectBundle(jobContext(app), bundle.id);
    await markIssued(app, bundle.id, 90 * DAY);
    const before = await row();
    const provenBefore = await provenAt();
    for (const failure of ['timeout', 'failed'] as const) {
      app.clock.advance(DAY);
      for (const name of dns.records.keys()) dns.set(name, { failure });
      const report = await inspectBundle(jobContext(withPublicAuthority(app)), bundle.id);
      expect(report).toMatchObject({ is_reached: true, is_delegated: true });
      expect(report?.facts.map(({ status }) => status)).toEqual(['unknown', 'unknown', 'unknown']);
      expect(await row()).toMatchObject({
        dns_validated_at: before.dns_validated_at,
        dns_challenge_validated_at: before.dns_challenge_validated_at,
        dns_problem_since: null,
        next_issue_at: before.next_issue_at,
      });
      expect(await provenAt()).toBe(provenBefore);
    }
  });

  it('says since when a correct record has been lost, keeps that through an outage, and forgets it', async () => {
    const { app, dns, bundle, delegate, row, provenAt } = await withDns();
    delegate();
    await inspectBundle(jobContext(app), bundle.id);
    await markIssued(app, bundle.id, 90 * DAY);
    const provenBefore = await provenAt();
    app.clock.advance(DAY);
    const lostAt = app.clock.now();
    dns.records.delete(bundle.challenge_name);
    await inspectBundle(jobContext(app), bundle.id);
    expect(await row()).toMatchObject({ dns_challenge_validated_at: null, dns_problem_since: lostAt });
    app.clock.advance(DAY);
    dns.set(bundle.challenge_name, { failure: 'timeout' });
    await inspectBundle(jobContext(app), bundle.id);
    dns.set(bundle.challenge_name, { cname: 'elsewhere.example.net' });
    await inspectBundle(jobContext(app), bundle.id);
    expect(await row()).toMatchObject({ dns_challenge_validated_at: null, dns_problem_since: lostAt });
    const planned = (await row()).next_issue_at;
    delegate();
    await inspectBundle(jobContext(app), bundle.id);
    expect(await row()).toMatchObject({
      dns_challenge_validated_at: app.clock.now(),
      dns_problem_since: null,
      next_issue_at: planned,
    });
    expect(await provenAt()).toBe(provenBefore);
  });

  it('says since when a hostname that only ever brought its traffic is gone, and starts again when it has been back', async () => {
    const { app, bundle, claimElsewhere, dns, point, row } = await withDns();
    const look = async () => {
      await inspectBundle(jobContext(app), bundle.id);
      return (await row()).dns_problem_since;
    };
    point();
    expect(await look()).toBeNull();
    app.clock.advance(DAY);
    dns.records.delete('www.example.ca');
    const gone = await look();
    expect(gone).toBe(app.clock.now());
    app.clock.advance(13 * DAY);
    expect(await look()).toBe(gone);
    point();
    expect(await look()).toBeNull();
    dns.records.delete('www.example.ca');
    app.clock.advance(DAY);
    expect(await look()).toBe(app.clock.now());
    app.clock.advance(14 * DAY - 1);
    await expect(claimElsewhere()).rejects.toMatchObject({ code: 'hostname_taken' });
    app.clock.advance(1);
    await expect(claimElsewhere()).resolves.toMatchObject({ hostname: 'www.example.ca', proven_at: null });
  });

  it('counts CAA that forbids a renewal as a problem, but not our own unreachable zone', async () => {
    const { app, dns, bundle, delegate, row } = await withDns();
    const elsewhere = withPublicAuthority(app);
    delegate();
    dns.set('example.ca', { caa: [{ isCritical: false, tag: 'issue', value: 'other.example' }] });
    await inspectBundle(jobContext(elsewhere), bundle.id);
    expect(await row()).toMatchObject({ dns_problem_since: null, next_issue_at: null });
    await markIssued(app, bundle.id, 90 * DAY);
    await inspectBundle(jobContext(elsewhere), bundle.id);
    expect((await row()).dns_problem_since).toBe(app.clock.now());
    dns.set('example.ca', { soa: 'ns1.example.ca' });
    dns.records.delete('acme.portage.example');
    await inspectBundle(jobContext(elsewhere), bundle.id);
    expect((await row()).dns_problem_since).toBeNull();
  });
});

describe('issuing', () => {
  const setRow = (world: Awaited<ReturnType<typeof withDns>>, changes: Record<string, unknown>) =>
    world.app.db.updateTable('certificate_bundles').set(changes).where('id', '=', world.bundle.id).execute();

  it.each([
    ['begins where a forbidding CAA has gone', { failure_code: 'caa_forbids' }, true],
    ['goes on where the record was missed at a renewal', { failure_code: 'challenge_missing' }, true],
    ['waits for an authority that said when to come back', { failure_code: 'authority_limit' }, false],
    ['keeps its own pace after other failures', { failure_code: 'refused' }, false],
  ])('%s', async (_, changes, begins) => {
    const world = await withDns();
    const { app, bundle, delegate, row } = world;
    delegate();
    await inspectBundle(jobContext(app), bundle.id);
    const later = app.clock.now() + DAY;
    await setRow(world, { ...changes, next_issue_at: later });
    app.clock.advance(MINUTE);
    await inspectBundle(jobContext(app), bundle.id);
    expect((await row()).next_issue_at).toBe(begins ? app.clock.now() : later);
  });

  it('begins again when the record is back, unless the certificate is valid for long', async () => {
    const world = await withDns();
    const { app, dns, bundle, delegate, row } = world;
    delegate();
    await inspectBundle(jobContext(app), bundle.id);
    await setRow(world, { failure_code: 'refused', next_issue_at: null });
    dns.records.delete(bundle.challenge_name);
    await inspectBundle(jobContext(app), bundle.id);
    expect((await row()).next_issue_at).toBeNull();
    delegate();
    await inspectBundle(jobContext(app), bundle.id);
    expect((await row()).next_issue_at).toBe(app.clock.now());
  });

  it('of a renewal that waits for the record begins when it is back, and not before it is due', async () => {
    const world = await withDns();
    const { app, bundle, delegate, row } = world;
    await markIssued(app, bundle.id, 90 * DAY);
    const later = app.clock.now() + 80 * DAY;
    await setRow(world, { failure_code: 'challenge_missing', next_issue_at: later });
    delegate();
    await inspectBundle(jobContext(app), bundle.id);
    expect((await row()).next_issue_at).toBe(later);
    app.clock.advance(61 * DAY);
    await inspectBundle(jobContext(app), bundle.id);
    expect((await row()).next_issue_at).toBe(app.clock.now());
  });
});

describe('two inspections at the same time', () => {
  it('are stored in the order in which they began, and tell the edges once', async () => {
    const world = await withDns();
    const { app, bundle, endpoint, delegate, row } = world;
    const announced = edgeChangesOf(world);
    const inspected = {
      ...bundle,
      dns_validated_at: null,
      dns_challenge_validated_at: null,
      valid_until: null,
      cname_target: endpoint.cname_target,
      proven_at: null,
    };
    const early = await inspectDns(app, inspected);
    app.clock.advance(1000);
    delegate();
    const late = await inspectDns(app, inspected);
    const results = await atOnce(app, [
      () => recordInspection(jobContext(app), bundle.id, late),
      () => recordInspection(jobContext(app), bundle.id, late),
    ]);
    expect(results).toMatchObject([{ value: true }, { value: true }]);
    expect(await recordInspection(jobContext(app), bundle.id, early)).toBe(false);
    expect(await row()).toMatchObject({
      dns_challenge_validated_at: app.clock.now(),
      next_issue_at: app.clock.now(),
      dns_report: JSON.stringify(late),
    });
    expect(announced).toHaveLength(1);
  });

  it('are stored again once a wrong clock is corrected', async () => {
    const { app, bundle, delegate, row } = await withDns();
    app.clock.advance(365 * DAY);
    await inspectBundle(jobContext(app), bundle.id);
    app.clock.advance(-365 * DAY);
    delegate();
    await inspectBundle(jobContext(app), bundle.id);
    expect(await row()).toMatchObject({
      dns_checked_at: app.clock.now(),
      dns_challenge_validated_at: app.clock.now(),
    });
  });

  it('that prove an endpoint and a removal of it do not deadlock', async () => {
    const { app, context, dns, claim } = await withDns();
    const works: (() => Promise<unknown>)[] = [];
    for (let count = 0; count < 6; count += 1) {
      const { id, bundle } = await claim(`host${count}.example.ca`);
      const bundleId = bundle?.id ?? '';
      dns.set(bundle?.challenge_name ?? '', { cname: bundle?.challenge_target ?? '' });
      works.push(
        () => inspectBundle(jobContext(app), bundleId),
        () => deleteEndpoint(context, { endpoint_id: id }),
      );
    }
    const results = await atOnce(app, works);
    expect(results.map(({ status }) => status)).toEqual(works.map(() => 'fulfilled'));
    const left = await app.db.selectFrom('certificate_bundles').select('domain_name').execute();
    expect(left).toEqual([{ domain_name: 'www.example.ca' }]);
  });

  it('that find nothing new and a removal do not deadlock', async () => {
    const { app, bundle, context, claim } = await withDns();
    const report = await inspectDns(app, {
      ...bundle,
      ...NEVER_SEEN,
      cname_target: 'a.edge.portage.example',
    });
    const works: (() => Promise<unknown>)[] = [];
    for (let count = 0; count < 4; count += 1) {
      const { id, bundle } = await claim(`host${count}.example.ca`);
      const look = () => recordInspection(jobContext(app), bundle?.id ?? '', report);
      works.push(look, () => deleteEndpoint(context, { endpoint_id: id }), look, look, look);
    }
    const results = await atOnce(app, works);
    expect(results.map(({ status }) => status)).toEqual(works.map(() => 'fulfilled'));
  });

  it('of a bundle that has been removed meanwhile leave nothing behind', async () => {
    const { app, bundle } = await withDns();
    await app.db.deleteFrom('cdn_endpoints').execute();
    expect(await inspectBundle(jobContext(app), bundle.id)).toBeNull();
    const report = await inspectDns(app, {
      ...bundle,
      dns_validated_at: null,
      dns_challenge_validated_at: null,
      valid_until: null,
      cname_target: null,
      proven_at: null,
    });
    expect(await recordInspection(jobContext(app), bundle.id, report)).toBe(false);
  });
});
