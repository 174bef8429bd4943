import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { deleteEndpoint } from '#server/services/cdn/delete-endpoint.ts';
import { takeLease } from '#server/services/leases/take-lease.ts';
import { endLease } from '#tests/support/app/end-lease.ts';
import { countedPauses, createIssuingApp } from '#tests/support/certificates/issuing-app.ts';
import { certificateLease, issueCertificate } from './issuing/issue-certificate.ts';
import { purgeCertificateLeftovers } from './purge-certificate-leftovers.ts';

describe('what issuances leave behind', () => {
  it('is removed: old attempts, values of removed endpoints, leases of crashed nodes', async () => {
    const { app, authority, context, person, lookup, addHostname } = await createIssuingApp();
    const kept = await addHostname('kept.example.ca');
    const gone = await addHostname('gone.example.ca');
    for (const { bundleId } of [kept, gone]) {
      authority.failNext('answerChallenges', new Error('the process was killed'));
      const issuing = issueCertificate(context, bundleId, { pause: countedPauses().pause });
      await expect(issuing).rejects.toThrow('killed');
    }
    await deleteEndpoint(person.context, { endpoint_id: gone.endpointId });
    await takeLease(app, certificateLease(gone.bundleId), 'a node that is gone', 1000);
    expect(await purgeCertificateLeftovers(context)).toEqual({ attempts: 0, challenges: 0, leases: 0 });
    app.clock.advance(2 * DAY_MS);
    await endLease(app, certificateLease(gone.bundleId));
    expect(await purgeCertificateLeftovers(context)).toEqual({ attempts: 0, challenges: 1, leases: 1 });
    const values = await app.db.selectFrom('challenge_values').select('dns_challenge_id').execute();
    expect(values).toEqual([{ dns_challenge_id: kept.challengeId }]);
    expect(await lookup.txt(`${gone.challengeId}.acme.example.net`)).toEqual({ kind: 'missing' });
    app.clock.advance(6 * DAY_MS);
    expect(await purgeCertificateLeftovers(context)).toEqual({ attempts: 2, challenges: 0, leases: 0 });
  });
});
