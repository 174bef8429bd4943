import { describe, expect, it } from 'vitest';
import { atOnce } from '#tests/support/at-once.ts';
import { countedPauses, createIssuingApp } from '#tests/support/certificates/issuing-app.ts';
import { createEndpoint } from '../../cdn/create-endpoint.ts';
import { deleteEndpoint } from '../../cdn/delete-endpoint.ts';
import { issueCertificate } from './issue-certificate.ts';

describe('a certificate that arrives', () => {
  it('and a removal of its endpoint do not deadlock', async () => {
    const { app, authority, addHostname, context, person } = await createIssuingApp();
    const removals: (() => Promise<unknown>)[] = [];
    const issues: (() => Promise<unknown>)[] = [];
    for (let count = 0; count < 8; count += 1) {
      const { bundleId, endpointId } = await addHostname(`host${count}.example.ca`);
      issues.push(() => issueCertificate(context, bundleId, countedPauses()));
      removals.push(() => deleteEndpoint(person.context, { endpoint_id: endpointId }));
    }
    // All of them have received their certificate before the first is stored and the first endpoint is
    // removed.
    let waiting = 0;
    let goOn: () => void = () => undefined;
    const everybody = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { findRenewalWindow } = authority;
    authority.findRenewalWindow = async () => {
      waiting += 1;
      if (waiting === issues.length) goOn();
      await everybody;
      return findRenewalWindow();
    };
    const remove = removals.map((removal) => async () => {
      await everybody;
      await removal();
    });
    const works = issues.flatMap((issue, index) => [issue, remove[index] ?? issue]);
    const results = await atOnce(app, works);
    expect(results.map((result) => (result.status === 'rejected' ? String(result.reason) : 'done'))).toEqual(
      works.map(() => 'done'),
    );
    expect(await app.db.selectFrom('certificate_bundles').select('id').execute()).toEqual([]);
    expect(await app.db.selectFrom('certificate_orders').select('bundle_id').execute()).toEqual([]);
  });

  it('is stored even when its renewal time is unknown', async () => {
    const { app, authority, addHostname, context, readBundle } = await createIssuingApp();
    const { bundleId } = await addHostname('www.example.ca');
    authority.failNext('findRenewalWindow', new TypeError('a defect'));
    expect(await issueCertificate(context, bundleId, countedPauses())).toEqual({ kind: 'issued' });
    const { renew_at, renewal_info_at, valid_until } = await readBundle(bundleId);
    expect(renew_at).toBeLessThan(valid_until ?? 0);
    expect(renewal_info_at).toBeGreaterThan(app.clock.now());
  });

  it('after its endpoint was removed and created again leaves the new order its challenge values', async () => {
    const { app, authority, addHostname, context, lookup, person } = await createIssuingApp();
    const { bundleId, challengeId, endpointId } = await addHostname('www.example.ca');
    await app.db.updateTable('cdn_endpoints').set({ proven_at: app.clock.now() }).execute();
    const { findRenewalWindow } = authority;
    authority.findRenewalWindow = async () => {
      await deleteEndpoint(person.context, { endpoint_id: endpointId });
      const anew = await createEndpoint(person.context, {
        hostname: 'www.example.ca',
        origin_type: 'redirect',
        redirect_target: 'https://example.ca/',
      });
      expect(anew.bundle?.dns_challenge_id).toBe(challengeId);
      lookup.set(`${challengeId}.acme.example.net`, { txt: ['a new value'] });
      await app.db
        .insertInto('challenge_values')
        .values({ dns_challenge_id: challengeId, value: 'a new value', created_at: app.clock.now() })
        .execute();
      return findRenewalWindow();
    };
    expect(await issueCertificate(context, bundleId, countedPauses())).toEqual({ kind: 'removed' });
    const values = await app.db.selectFrom('challenge_values').select('value').execute();
    expect(values.map(({ value }) => value)).toContain('a new value');
    expect(await lookup.txt(`${challengeId}.acme.example.net`)).toMatchObject({ kind: 'found' });
  });
});
