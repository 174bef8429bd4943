import { describe, expect, it, vi } from 'vitest';
import { AuthorityError } from '#server/certificate-authority/authority.ts';
import { HOUR_MS } from '#server/durations.ts';
import { takeLease } from '#server/services/leases/take-lease.ts';
import { endLease } from '#tests/support/app/end-lease.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { createIssuingApp } from '#tests/support/certificates/issuing-app.ts';
import { listenToAll } from '#tests/support/webhooks/listen-to.ts';
import { issueBundle } from './issue-bundle.ts';
import { certificateLease } from './issuing/issue-certificate.ts';

const HOSTNAME = 'www.example.ca';

async function prepare() {
  const world = await createIssuingApp();
  const made = await world.addHostname(HOSTNAME);
  const issue = () => issueBundle(world.person.context, { bundle_id: made.bundleId });
  return { ...world, ...made, issue, read: () => world.readBundle(made.bundleId) };
}

describe('a person who issues a certificate', () => {
  it('gets the resulting bundle, and is in the audit log', async () => {
    const { app, person, issue, endpointId } = await prepare();
    const bundle = await issue();
    expect(bundle).toMatchObject({
      domain_name: HOSTNAME,
      issued_at: new Date(app.clock.now()).toISOString(),
      authority: 'acme-v02.api.letsencrypt.org',
      step: null,
      problem: null,
      attempts: 0,
    });
    const audit = await app.db
      .selectFrom('audit_events')
      .select(['action', 'actor_id', 'resource_id', 'organization_id'])
      .where('action', '=', 'certificate.issue')
      .execute();
    expect(audit).toEqual([
      {
        action: 'certificate.issue',
        actor_id: person.user.id,
        resource_id: endpointId,
        organization_id: person.organization.id,
      },
    ]);
  });

  it('causes webhook events, also for a failure', async () => {
    const { authority, person, issue, endpointId } = await prepare();
    const told = await listenToAll(person.context);
    const { validate } = authority;
    authority.validate = async () => 'Incorrect TXT record';
    await expect(issue()).rejects.toMatchObject({ code: 'certificate_failed' });
    authority.validate = validate;
    await issue();
    const facts = { hostname: HOSTNAME, endpoint_id: endpointId };
    expect(await told()).toMatchObject([
      { type: 'certificate.failed', data: { ...facts, attempts: 1 } },
      { type: 'certificate.issued', data: { ...facts, is_renewal: false } },
    ]);
  });

  it('changes nothing by repeating the request: the authority is not contacted', async () => {
    const { authority, issue } = await prepare();
    const first = await issue();
    const calls = authority.calls.length;
    expect(await issue()).toEqual(first);
    expect(authority.calls).toHaveLength(calls);
  });

  it('shares one order with all concurrent requests', async () => {
    const { app, authority, issue } = await prepare();
    const ended = await atOnce(app, [issue, issue, issue]);
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    const values = ended.map((end) => end.status === 'fulfilled' && end.value.issued_at);
    expect(new Set(values).size).toBe(1);
    expect(authority.opened).toBe(1);
  });

  it('shares the failure too: the authority is asked once', async () => {
    const { app, authority, issue } = await prepare();
    const consumed = vi.spyOn(app.rateLimits, 'consume');
    authority.validate = async () => {
      // The order fails once each has seen that there is no certificate: who comes later asks anew.
      await vi.waitFor(() => expect(consumed).toHaveBeenCalledTimes(3), { timeout: 30_000 });
      return 'Incorrect TXT record';
    };
    const ended = await atOnce(app, [issue, issue, issue]);
    for (const end of ended) {
      expect(end).toMatchObject({ status: 'rejected', reason: { code: 'certificate_failed' } });
    }
    expect(authority.opened).toBe(1);
  });

  it('waits for a node that is working on it and takes over when that one is gone', async () => {
    const { app, authority, bundleId, issue } = await prepare();
    await takeLease(app, certificateLease(bundleId), 'elsewhere', 60_000);
    const issuing = issue();
    await endLease(app, certificateLease(bundleId));
    expect((await issuing).issued_at).not.toBeNull();
    expect(authority.opened).toBe(1);
  });
});

describe('issuing is refused', () => {
  it('while the challenge record is not in place, and says which one to set', async () => {
    const { app, authority, lookup, challengeId, issue, read } = await prepare();
    lookup.set(`_acme-challenge.${HOSTNAME}`, { cname: 'elsewhere.example.org' });
    await expect(issue()).rejects.toMatchObject({
      code: 'challenge_record_missing',
      params: { name: `_acme-challenge.${HOSTNAME}`, target: `${challengeId}.${app.config.acmeZone}` },
    });
    expect(authority.opened).toBe(0);
    expect(await read()).toMatchObject({ attempts: 0, failure_code: null });
  });

  it('when a CAA record forbids it', async () => {
    const { lookup, issue } = await prepare();
    lookup.set('example.ca', { caa: [{ isCritical: false, tag: 'issue', value: 'other.example' }] });
    // The CAA name that the authority announces, not the host of its API.
    const params = { name: 'example.ca', authority: 'letsencrypt.org' };
    await expect(issue()).rejects.toMatchObject({ code: 'caa_forbids', params });
  });

  it('when the authority itself finds such a record', async () => {
    const { authority, issue } = await prepare();
    authority.failNext('openOrder', new AuthorityError('caa', 'CAA record prevents issuance'));
    const params = { name: HOSTNAME, authority: 'letsencrypt.org' };
    await expect(issue()).rejects.toMatchObject({ code: 'caa_forbids', params });
  });

  it('when the records cannot be looked up', async () => {
    const { lookup, issue } = await prepare();
    lookup.set(`_acme-challenge.${HOSTNAME}`, { failure: 'timeout' });
    await expect(issue()).rejects.toMatchObject({ code: 'dns_unavailable' });
  });

  it('when the authority does not respond, with an automatic next attempt', async () => {
    const { app, authority, issue, read } = await prepare();
    authority.failNext('openOrder', new AuthorityError('unavailable', 'Service busy'));
    await expect(issue()).rejects.toMatchObject({ code: 'certificate_unavailable' });
    expect((await read()).next_issue_at).toBeGreaterThan(app.clock.now());
  });

  it('while the authority accepts no more requests, without asking it again', async () => {
    const { app, authority, issue } = await prepare();
    const retryAt = app.clock.now() + HOUR_MS;
    authority.failNext('openOrder', new AuthorityError('limited', 'too many', { retryAt }));
    await expect(issue()).rejects.toMatchObject({ code: 'certificate_limit', params: { seconds: 3600 } });
    const calls = authority.calls.length;
    await expect(issue()).rejects.toMatchObject({ code: 'certificate_limit' });
    expect(authority.calls).toHaveLength(calls);
    app.clock.advance(HOUR_MS + 60_000);
    expect((await issue()).issued_at).not.toBeNull();
  });

  it('before the authority itself would refuse: its limits are tracked here', async () => {
    const { app, authority, issue } = await prepare();
    authority.validate = async () => 'Incorrect TXT record';
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await expect(issue()).rejects.toMatchObject({ code: 'certificate_failed' });
    }
    await expect(issue()).rejects.toMatchObject({ code: 'certificate_limit' });
    expect(authority.opened).toBe(4);
    app.clock.advance(HOUR_MS + 60_000);
    authority.validate = async () => null;
    expect((await issue()).issued_at).not.toBeNull();
  });

  it('to readers and to other organizations', async () => {
    const { app, person, bundleId } = await prepare();
    const other = await createTestPerson(app);
    await expect(issueBundle(other.context, { bundle_id: bundleId })).rejects.toMatchObject({
      code: 'bundle_not_found',
    });
    const reader = await joinOrganization(other, person.organization.id, 'read');
    await expect(issueBundle(reader, { bundle_id: bundleId })).rejects.toMatchObject({
      code: 'permission_required',
    });
  });
});
