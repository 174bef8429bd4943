import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { AppError } from '#server/errors.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { edgeChangesOf, markProven, withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { FakeLookup } from '#tests/support/dns/fake-lookup.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { listEndpoints } from './list-endpoints.ts';
import { UNPROVEN_CLAIM_MS } from './rules.ts';

const HOSTNAME = 'www.example.ca';
const CHALLENGE = `_acme-challenge.${HOSTNAME}`;

/** A hostname that a stranger has added, while we, its owner, control its DNS. */
async function withSquatter() {
  const dns = new FakeLookup();
  const world = await withTwoSites({
    lookup: dns,
    environment: {
      ACME_ZONE: 'acme.portage.example',
      MAIL_URL: 'smtp://localhost:25',
      MAIL_FROM: 'p@example.net',
    },
  });
  dns.set('example.ca', { soa: 'ns1.example.ca' });
  const squatted = await world.claimElsewhere();
  /** Requests the hostname and returns the refusal. */
  const refusalOf = async (claim: () => Promise<unknown>): Promise<AppError> => {
    const refusal = await claim().then(
      () => null,
      (error: unknown) => error,
    );
    if (refusal instanceof AppError) return refusal;
    throw new Error('nothing was refused');
  };
  /** Sets the record that the refusal names. */
  const setRecord = ({ params }: AppError) => dns.set(String(params.name), { cname: String(params.target) });
  return { ...world, dns, squatted, refusalOf, setRecord };
}

describe('a hostname that another organization has added without proof', () => {
  it('tells its owner which record to set, the same each time, and is theirs as soon as it is in place', async () => {
    const world = await withSquatter();
    const { app, context, stranger, squatted, claim, refusalOf, setRecord } = world;
    const refusal = await refusalOf(claim);
    expect(refusal.code).toBe('hostname_unproven');
    expect(refusal.params).toMatchObject({ hostname: HOSTNAME, name: CHALLENGE });
    expect(refusal.params.target).toMatch(/^[a-z2-7]{20}\.acme\.portage\.example$/);
    expect((await refusalOf(claim)).params).toEqual(refusal.params);
    setRecord(refusal);
    const announced = edgeChangesOf(world);
    const endpoint = await claim();
    expect(endpoint.bundle?.challenge_target).toBe(refusal.params.target);
    expect(announced).toEqual([{ site_id: null, hostname: HOSTNAME }]);
    expect(await listEndpoints(stranger, {})).toEqual([]);
    expect(await auditRows(context, HOSTNAME)).toMatchObject([{ action: 'endpoint.supersede' }]);
    expect((await auditRows(stranger, squatted.id)).at(-1)).toMatchObject({ action: 'endpoint.expire' });
    const mails = await app.db.selectFrom('outgoing_mails').select(['recipient', 'resource_id']).execute();
    expect(mails).toEqual([{ recipient: expect.stringContaining('@'), resource_id: squatted.id }]);
  });

  it('fills no mailbox when very many are claimed from one organization', async () => {
    const { app, claim, claimElsewhere, refusalOf, dns } = await withSquatter();
    app.rateLimits = createRateLimits({ notice_recipient: { points: 2, seconds: 3600 } });
    for (const hostname of ['one.example.ca', 'two.example.ca', 'three.example.ca']) {
      await claimElsewhere(hostname);
      const { params } = await refusalOf(() => claim(hostname));
      dns.set(String(params.name), { cname: String(params.target) });
      await claim(hostname);
    }
    expect(await app.db.selectFrom('outgoing_mails').select('id').execute()).toHaveLength(2);
  });

  it('cannot be kept from its owner by adding it again and again', async () => {
    const { app, stranger, squatted, claim, claimElsewhere, refusalOf, setRecord } = await withSquatter();
    let { id } = squatted;
    for (let round = 0; round < 3; round += 1) {
      app.clock.advance(UNPROVEN_CLAIM_MS - DAY_MS);
      await deleteEndpoint(stranger, { endpoint_id: id });
      ({ id } = await claimElsewhere());
    }
    setRecord(await refusalOf(claim));
    await expect(claim()).resolves.toMatchObject({ hostname: HOSTNAME });
    // And the squatter, who cannot set a record, does not get it back.
    expect((await refusalOf(claimElsewhere)).code).toBe('hostname_unproven');
  });

  it('cannot be claimed with another organization’s record, nor while the lookup fails', async () => {
    const { dns, squatted, claim, claimElsewhere, refusalOf } = await withSquatter();
    dns.set(CHALLENGE, { cname: squatted.bundle?.challenge_target ?? '' });
    const ours = await refusalOf(claim);
    expect(ours.code).toBe('hostname_unproven');
    dns.set(CHALLENGE, { failure: 'timeout' });
    expect((await refusalOf(claim)).code).toBe('dns_unavailable');
    // When the same person asks again, the refusal comes without any lookup.
    expect((await refusalOf(claimElsewhere)).code).toBe('hostname_taken');
  });

  it('goes to one of two who ask at the same time with the proof', async () => {
    const { app, claim, refusalOf, setRecord } = await withSquatter();
    setRecord(await refusalOf(claim));
    const results = await atOnce(app, [() => claim(), () => claim()]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('a hostname that another organization has proven', () => {
  it('stays while its traffic leads to them by name, whoever sets a challenge record', async () => {
    const { app, dns, squatted, claim, refusalOf, setRecord } = await withSquatter();
    await markProven(app, squatted.id);
    dns.set(HOSTNAME, { cname: squatted.cname_target });
    const refusal = await refusalOf(claim);
    expect(refusal).toMatchObject({ code: 'hostname_taken', params: { name: CHALLENGE } });
    setRecord(refusal);
    expect((await refusalOf(claim)).code).toBe('hostname_taken');
    dns.set(HOSTNAME, { failure: 'failed' });
    expect((await refusalOf(claim)).code).toBe('dns_unavailable');
  });

  it('goes to the current owner of the domain as soon as their record is in place and none of the others is', async () => {
    const { app, dns, squatted, claim, refusalOf, setRecord } = await withSquatter();
    await markProven(app, squatted.id);
    dns.set(HOSTNAME, { ipv4: ['192.0.2.9'] });
    setRecord(await refusalOf(claim));
    await expect(claim()).resolves.toMatchObject({ hostname: HOSTNAME });
  });

  it('is not reserved for them once another organization has the proof', async () => {
    const { app, stranger, squatted, claim, refusalOf, setRecord } = await withSquatter();
    await markProven(app, squatted.id);
    await deleteEndpoint(stranger, { endpoint_id: squatted.id });
    const refusal = await refusalOf(claim);
    expect(refusal).toMatchObject({ code: 'hostname_resting', params: { name: CHALLENGE } });
    setRecord(refusal);
    await expect(claim()).resolves.toMatchObject({ hostname: HOSTNAME });
  });
});
