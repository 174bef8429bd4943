import { describe, expect, it } from 'vitest';
import { jobContext } from '#tests/support/app/job-context.ts';
import { withDns, withPublicAuthority } from '#tests/support/dns/dns-world.ts';
import { findObstacle } from './find-obstacle.ts';

describe('findObstacle', () => {
  it('finds none once the challenge is in place, and stores what it saw', async () => {
    const { app, bundle, delegate, row } = await withDns();
    delegate();
    expect(await findObstacle(jobContext(withPublicAuthority(app)), bundle)).toBeNull();
    expect((await row()).dns_challenge_validated_at).toBe(app.clock.now());
  });

  it('says what is wrong with which name', async () => {
    const { app, dns, bundle, delegate } = await withDns();
    const elsewhere = withPublicAuthority(app);
    const obstacle = async () => {
      const found = await findObstacle(jobContext(elsewhere), bundle);
      return found && [found.problem, found.detail];
    };
    expect(await obstacle()).toEqual(['challenge_missing', bundle.challenge_name]);
    dns.set(bundle.challenge_name, { failure: 'timeout' });
    expect(await obstacle()).toEqual(['dns_unavailable', bundle.challenge_name]);
    delegate();
    dns.set('example.ca', { caa: [{ isCritical: false, tag: 'issue', value: ';' }] });
    expect(await obstacle()).toEqual(['caa_forbids', 'example.ca']);
    dns.set('example.ca', { failure: 'failed' });
    expect(await obstacle()).toEqual(['dns_unavailable', 'example.ca']);
    dns.set('example.ca', {});
    dns.records.delete('acme.portage.example');
    expect(await obstacle()).toEqual(['challenge_invisible', bundle.challenge_name]);
  });

  it('leaves it to the order when the authority’s CAA names are unknown or the bundle is gone', async () => {
    const { app, dns, bundle, delegate } = await withDns();
    delegate();
    dns.set('example.ca', { caa: [{ isCritical: false, tag: 'issue', value: 'other.example' }] });
    const shy = withPublicAuthority(app);
    shy.authority.caaIdentities = () => Promise.reject(new Error('away'));
    expect(await findObstacle(jobContext(shy), bundle)).toBeNull();
    expect(await findObstacle(jobContext(app), { ...bundle, id: 'nobody' })).toBeNull();
  });

  it('never requests names of every machine from external authorities, and does not inspect them', async () => {
    const { app, bundle, row } = await withDns('shop.localhost');
    expect(await findObstacle(jobContext(withPublicAuthority(app)), bundle)).toMatchObject({
      problem: 'refused',
    });
    expect((await row()).dns_checked_at).toBeNull();
    expect(await findObstacle(jobContext(app), bundle)).toBeNull();
  });
});
