import { describe, expect, it } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import { createIssuingApp } from '#tests/support/certificates/issuing-app.ts';
import { findBundlesOfEndpoints } from './find-bundles.ts';
import { insertBundle } from './insert-bundle.ts';

describe('the bundle of a new endpoint', () => {
  it('is created with it, waits for its records and is inspected immediately', async () => {
    const { app, addHostname, readBundle } = await createIssuingApp();
    const { bundleId } = await addHostname('www.example.ca');
    expect(await readBundle(bundleId)).toMatchObject({
      dns_validated_at: null,
      dns_challenge_validated_at: null,
      next_check_at: app.clock.now(),
      next_issue_at: null,
      attempts: 0,
    });
  });

  it('keeps the label of an earlier one, so that the customer’s record stays correct', async () => {
    const { app, addHostname, person } = await createIssuingApp();
    const { endpointId, challengeId } = await addHostname('www.example.ca');
    await app.db.deleteFrom('certificate_bundles').execute();
    const endpoint = { id: endpointId, organization_id: person.organization.id, hostname: 'www.example.ca' };
    await inTransaction(app.db, (trx) => insertBundle(trx, app, endpoint, challengeId));
    const bundles = await findBundlesOfEndpoints(app.db, [endpointId]);
    expect(bundles.get(endpointId)?.dns_challenge_id).toBe(challengeId);
  });

  it('shows the step of its order only while it is being worked on', async () => {
    const { app, addHostname } = await createIssuingApp();
    const { endpointId, bundleId } = await addHostname('www.example.ca');
    const stepOf = async () => (await findBundlesOfEndpoints(app.db, [endpointId])).get(endpointId)?.step;
    expect(await stepOf()).toBeNull();
    const now = app.clock.now();
    await app.db
      .insertInto('certificate_orders')
      .values({
        bundle_id: bundleId,
        authority: 'a',
        order_url: 'https://ca.example/order/1',
        key_sealed: '',
        step: 'challenge',
        started_at: now,
        updated_at: now,
      })
      .execute();
    expect(await stepOf()).toBe('challenge');
    await app.db.updateTable('certificate_bundles').set({ failed_at: now }).execute();
    expect(await stepOf()).toBeNull();
    await app.db
      .updateTable('certificate_orders')
      .set({ updated_at: now + 1 })
      .execute();
    expect(await stepOf()).toBe('challenge');
  });
});
