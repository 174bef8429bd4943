import { describe, expect, it } from 'vitest';
import { newId, newLabel } from '#server/ids.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { findChallengeValues } from './find-challenge-values.ts';

async function addPlatformBundle(app: TestApp): Promise<string> {
  const now = app.clock.now();
  const label = newLabel();
  await app.db
    .insertInto('certificate_bundles')
    .values({
      id: newId(now),
      organization_id: null,
      endpoint_id: null,
      domain_name: `${label}.example.ca`,
      dns_challenge_id: label,
      next_check_at: now,
      created_at: now,
      updated_at: now,
    })
    .execute();
  return label;
}

async function addValues(app: TestApp, label: string, values: string[]): Promise<void> {
  const rows = values.map((value) => ({ dns_challenge_id: label, value, created_at: app.clock.now() }));
  await app.db.insertInto('challenge_values').values(rows).execute();
}

describe('the values of a challenge', () => {
  it('are only its own, in a fixed order', async () => {
    const app = await createTestApp();
    const label = await addPlatformBundle(app);
    const other = await addPlatformBundle(app);
    await addValues(app, label, ['c', 'a', 'b']);
    await addValues(app, other, ['of another']);
    expect(await findChallengeValues(app.db, label)).toEqual(['a', 'b', 'c']);
  });

  it('are empty while a bundle has no order, and null for an unknown label', async () => {
    const app = await createTestApp();
    const label = await addPlatformBundle(app);
    expect(await findChallengeValues(app.db, label)).toEqual([]);
    expect(await findChallengeValues(app.db, newLabel())).toBeNull();
  });

  it('reflect a change in the next query', async () => {
    const app = await createTestApp();
    const label = await addPlatformBundle(app);
    await addValues(app, label, ['first']);
    expect(await findChallengeValues(app.db, label)).toEqual(['first']);
    await app.db.deleteFrom('challenge_values').execute();
    await addValues(app, label, ['second']);
    expect(await findChallengeValues(app.db, label)).toEqual(['second']);
  });
});
