import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AuthorityError } from '#server/certificate-authority/authority.ts';
import { DAY_MS, MINUTE_MS } from '#server/durations.ts';
import { deleteEndpoint } from '#server/services/cdn/delete-endpoint.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { countedPauses, createIssuingApp, type IssuingApp } from '#tests/support/certificates/issuing-app.ts';
import { issueCertificate } from './issue-certificate.ts';

const HOSTNAME = 'www.example.ca';

const ordersOf = ({ app }: IssuingApp) => app.db.selectFrom('certificate_orders').selectAll().execute();
const valuesOf = ({ app }: IssuingApp) => app.db.selectFrom('challenge_values').selectAll().execute();

async function prepare() {
  const world = await createIssuingApp();
  const { bundleId, ...made } = await world.addHostname(HOSTNAME);
  const { pause, waited } = countedPauses();
  const issue = (options: Parameters<typeof issueCertificate>[2] = {}) =>
    issueCertificate(world.context, bundleId, { pause, ...options });
  return { ...world, ...made, bundleId, issue, waited, read: () => world.readBundle(bundleId) };
}

describe('issuing a certificate', () => {
  it('stores the chain with its sealed key, plans the renewal, tells the edges and leaves nothing behind', async () => {
    const world = await prepare();
    const { app, authority, bundleId, issue, read } = world;
    const announced: unknown[] = [];
    app.edgeChanges.subscribe((change) => announced.push(change));
    expect(await issue()).toEqual({ kind: 'issued' });
    const row = await read();
    const leaf = new X509Certificate(row.certificate ?? '');
    expect(leaf.subjectAltName).toBe(`DNS:${HOSTNAME}`);
    const key = app.sealer.open(row.private_key_sealed ?? '', bundleId);
    expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(leaf.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(row).toMatchObject({
      authority: authority.name,
      serial_number: leaf.serialNumber.toLowerCase(),
      issued_at: app.clock.now(),
      valid_until: app.clock.now() + 90 * DAY_MS,
      attempts: 0,
      failure_code: null,
      failed_at: null,
    });
    expect(row.next_issue_at).toBe(row.renew_at);
    expect(row.renew_at).toBeGreaterThan(app.clock.now() + 55 * DAY_MS);
    expect(row.renew_at).toBeLessThanOrEqual(app.clock.now() + 60 * DAY_MS);
    expect(await ordersOf(world)).toEqual([]);
    expect(await valuesOf(world)).toEqual([]);
    expect(await app.db.selectFrom('leases').selectAll().execute()).toEqual([]);
    expect(announced.at(-1)).toEqual({ site_id: null, hostname: HOSTNAME });
    const audit = await app.db
      .selectFrom('audit_events')
      .select(['action', 'actor_kind', 'resource_id'])
      .where('action', 'like', 'certificate.%')
      .execute();
    expect(audit).toEqual([
      { action: 'certificate.issue', actor_kind: 'job', resource_id: world.endpointId },
    ]);
  });

  it('waits until the values are visible before it says so, with growing pauses', async () => {
    const world = await prepare();
    const { authority, lookup, challengeId, waited } = world;
    const name = `${challengeId}.acme.example.net`;
    const late = { ...world.app, challengeUpdates: null };
    const publishLate = async (ms: number) => {
      waited.push(ms);
      expect(authority.calls).not.toContain('answerChallenges');
      if (waited.length < 4) return;
      lookup.set(name, { txt: (await valuesOf(world)).map(({ value }) => value) });
    };
    lookup.set('acme.example.net', { soa: 'ns1.example.net' });
    const outcome = await issueCertificate({ ...world.context, app: late }, world.bundleId, {
      pause: publishLate,
    });
    expect(outcome).toEqual({ kind: 'issued' });
    expect(waited).toEqual([500, 750, 1125, 1687.5]);
  });

  it('does not let the authority check values that are not visible: no failure is counted', async () => {
    const world = await prepare();
    const { app, authority, issue, waited } = world;
    const blind = { ...world.context, app: { ...app, challengeUpdates: { put: async () => undefined } } };
    const outcome = await issueCertificate(blind, world.bundleId, {
      pause: async (ms) => void waited.push(ms),
    });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { problem: 'challenge_invisible' } });
    expect(waited.reduce((sum, ms) => sum + ms, 0)).toBe(60_000);
    expect(authority.calls).not.toContain('answerChallenges');
    expect(await world.read()).toMatchObject({ failure_code: 'challenge_invisible', attempts: 1 });
    expect(await issue()).toEqual({ kind: 'issued' });
    expect(authority.opened).toBe(1);
  });

  it('answers the same order again when the authority did not see the values, and opens no other', async () => {
    const { authority, issue } = await prepare();
    authority.looksAgain = true;
    let looks = 0;
    authority.validate = async () => {
      looks += 1;
      return looks < 4 ? 'During secondary validation: DNS problem: query timed out' : null;
    };
    expect(await issue()).toEqual({ kind: 'issued' });
    expect(looks).toBe(4);
    expect(authority.opened).toBe(1);
  });

  it('does not let the authority check while lookups time out, until they are answered several times in a row', async () => {
    const world = await prepare();
    const { app, authority, lookup, waited } = world;
    const name = `_acme-challenge.${HOSTNAME}`;
    const responses = ['timeout', 'found', 'found', 'timeout', 'found', 'found', 'found', 'found'];
    let asked = 0;
    const flaky = Object.assign(Object.create(lookup), {
      txt: async (asking: string) => {
        if (asking !== name) return lookup.txt(asking);
        asked += 1;
        expect(authority.calls).not.toContain('answerChallenges');
        return responses[asked - 1] === 'timeout' ? { kind: 'timeout' } : lookup.txt(asking);
      },
    });
    const context = { ...world.context, app: { ...app, lookup: flaky } };
    const outcome = await issueCertificate(context, world.bundleId, {
      isInspected: true,
      pause: async (ms) => void waited.push(ms),
    });
    expect(outcome).toEqual({ kind: 'issued' });
    expect(asked).toBe(responses.length);
    expect(authority.opened).toBe(1);
  });

  it('is retried later when the operator’s name server does not accept the values', async () => {
    const world = await prepare();
    const refusing = { put: () => Promise.reject(new Error('NOTAUTH')) };
    const app = { ...world.app, challengeUpdates: refusing };
    const { pause } = countedPauses();
    const outcome = await issueCertificate({ ...world.context, app }, world.bundleId, { pause });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { problem: 'dns_unavailable' } });
    expect((await world.read()).next_issue_at).toBeGreaterThan(app.clock.now());
    expect(await world.issue()).toEqual({ kind: 'issued' });
    expect(world.authority.opened).toBe(1);
  });

  it('contacts no authority while the challenge record is not in place', async () => {
    const { app, authority, lookup, issue, read } = await prepare();
    lookup.records.delete(`_acme-challenge.${HOSTNAME}`);
    const outcome = await issue();
    expect(outcome).toMatchObject({ kind: 'failed', failure: { problem: 'challenge_missing' } });
    expect(authority.opened).toBe(0);
    const row = await read();
    expect(row).toMatchObject({ failure_code: 'challenge_missing', failed_at: app.clock.now() });
    expect(row.next_issue_at).toBeNull();
  });

  it('contacts no authority that a CAA record forbids', async () => {
    const { authority, lookup, issue } = await prepare();
    lookup.set('example.ca', { caa: [{ isCritical: false, tag: 'issue', value: 'other.example' }] });
    expect(await issue()).toMatchObject({
      kind: 'failed',
      failure: { problem: 'caa_forbids', detail: 'example.ca' },
    });
    expect(authority.opened).toBe(0);
  });

  it('has one order when several begin at once, here and on another node', async () => {
    const world = await prepare();
    const { app, authority, context, bundleId } = world;
    const { pause } = countedPauses();
    const begin = () => issueCertificate(context, bundleId, { pause });
    const ended = await atOnce(app, [begin, begin, begin, begin]);
    const kinds = ended.map((end) => (end.status === 'fulfilled' ? end.value.kind : 'thrown'));
    expect(kinds.filter((kind) => kind === 'issued')).toHaveLength(1);
    expect(
      kinds.filter((kind) => kind !== 'issued').every((kind) => kind === 'busy' || kind === 'fresh'),
    ).toBe(true);
    expect(authority.opened).toBe(1);
  });

  it('leaves a fresh certificate alone unless it is forced', async () => {
    const { authority, issue, read } = await prepare();
    await issue();
    const before = await read();
    expect(await issue()).toEqual({ kind: 'fresh' });
    expect(await read()).toEqual(before);
    expect(await issue({ isForced: true })).toEqual({ kind: 'issued' });
    expect((await read()).private_key_sealed).not.toBe(before.private_key_sealed);
    expect(authority.opened).toBe(2);
  });

  it('ends quietly when the endpoint is removed in the middle', async () => {
    const world = await prepare();
    const { authority, issue, person, endpointId } = world;
    authority.validate = async () => {
      await deleteEndpoint(person.context, { endpoint_id: endpointId });
      return null;
    };
    expect(await issue()).toEqual({ kind: 'removed' });
    expect(await ordersOf(world)).toEqual([]);
    expect(await valuesOf(world)).toEqual([]);
  });
});

describe('an authority that does not issue', () => {
  it('is contacted again later when it is down, with the same order', async () => {
    const { app, authority, issue, read } = await prepare();
    const away = () => new AuthorityError('unavailable', 'Service busy');
    authority.failNext('finalize', away());
    expect(await issue()).toMatchObject({ kind: 'failed', failure: { problem: 'authority_unavailable' } });
    const first = await read();
    expect(first).toMatchObject({ attempts: 1, failure_detail: 'Service busy' });
    expect(first.next_issue_at).toBeGreaterThan(app.clock.now());
    authority.failNext('readOrder', away());
    await issue();
    expect((await read()).attempts).toBe(2);
    expect(await issue()).toEqual({ kind: 'issued' });
    expect(authority.opened).toBe(1);
    expect(await read()).toMatchObject({ attempts: 0, failure_code: null, failure_detail: null });
  });

  it('has accepted no order while it is down: an outage uses up none of its limits', async () => {
    const { app, authority, issue } = await prepare();
    const count = async () =>
      (await app.db.selectFrom('certificate_attempts').select('outcome').execute()).length;
    authority.failNext('openOrder', new AuthorityError('unavailable', 'Service busy'), 100);
    for (let attempt = 0; attempt < 100; attempt += 1) {
      expect(await issue()).toMatchObject({ failure: { problem: 'authority_unavailable' } });
    }
    expect(await count()).toBe(0);
    expect(await issue()).toEqual({ kind: 'issued' });
    expect(await count()).toBe(2);
  });

  it('is not contacted before the time it named', async () => {
    const { app, authority, issue, read } = await prepare();
    const retryAt = app.clock.now() + 5 * 60 * MINUTE_MS;
    authority.failNext('openOrder', new AuthorityError('limited', 'too many', { retryAt }));
    expect(await issue()).toMatchObject({ kind: 'failed', failure: { problem: 'authority_limit', retryAt } });
    const { next_issue_at } = await read();
    expect(next_issue_at).toBeGreaterThanOrEqual(retryAt);
    expect(next_issue_at).toBeLessThanOrEqual(retryAt + MINUTE_MS);
  });

  it('that refuses ends the order, and its message is kept', async () => {
    const world = await prepare();
    const { authority, issue, read } = world;
    authority.validate = async () => 'DNS problem: SERVFAIL looking up TXT';
    expect(await issue()).toMatchObject({ kind: 'failed', failure: { problem: 'refused' } });
    expect(await read()).toMatchObject({
      failure_code: 'refused',
      failure_detail: 'DNS problem: SERVFAIL looking up TXT',
    });
    expect(await ordersOf(world)).toEqual([]);
    const attempts = await world.app.db.selectFrom('certificate_attempts').selectAll().execute();
    const organization_id = world.person.organization.id;
    expect(attempts).toMatchObject([
      { outcome: 'ordered', organization_id },
      { outcome: 'failed', organization_id },
    ]);
  });

  it('that is still processing is asked again later', async () => {
    const { authority, issue, waited } = await prepare();
    authority.busyReads = Number.POSITIVE_INFINITY;
    expect(await issue()).toMatchObject({ kind: 'failed', failure: { problem: 'authority_unavailable' } });
    expect(waited.reduce((sum, ms) => sum + ms, 0)).toBe(120_000);
    authority.busyReads = 3;
    expect(await issue()).toEqual({ kind: 'issued' });
    expect(authority.opened).toBe(1);
  });

  it.each([
    [
      'of another key',
      (chain: string) => chain.slice(chain.indexOf('-----END') + 1).replace(/^[^\n]*\n/, ''),
      'another key',
    ],
    ['that is none', () => 'no certificate at all', 'empty'],
    [
      'whose chain is not in order',
      (chain: string) => `${chain.split(/(?<=-----END CERTIFICATE-----\n)/)[0]}${chain}`,
      'not in order',
    ],
  ])('never replaces what is served with a certificate %s', async (_, change, reason) => {
    const world = await prepare();
    const { authority, issue, read } = world;
    await issue();
    const before = await read();
    authority.changeChain = change;
    expect(await issue({ isForced: true })).toMatchObject({
      kind: 'failed',
      failure: { problem: 'certificate_wrong', detail: expect.stringContaining(reason) },
    });
    const { certificate, private_key_sealed, failure_code } = await read();
    expect({ certificate, private_key_sealed }).toEqual({
      certificate: before.certificate,
      private_key_sealed: before.private_key_sealed,
    });
    expect(failure_code).toBe('certificate_wrong');
    expect(await ordersOf(world)).toEqual([]);
  });
});
