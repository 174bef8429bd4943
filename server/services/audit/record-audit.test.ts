import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '#server/durations.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createCredential } from '../credentials/create-credential.ts';
import { deleteCredential } from '../credentials/delete-credential.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { createSite } from '../sites/create-site.ts';

async function prepare(points: number) {
  let now = 0;
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const { context: other } = await createTestPerson(app);
  app.rateLimits = createRateLimits({ changes_organization: { points, seconds: 3600 } }, () => now);
  const wait = (ms: number) => {
    now += ms;
  };
  return { app, context, other, wait };
}

describe('changes of an organization', () => {
  it('are limited per hour, whatever is created and deleted again, and deleting is never refused', async () => {
    const { app, context, wait } = await prepare(4);
    const create = () => createCredential(context, { name: 'CI', scopes: [] });
    const remove = (credential_id: string) => deleteCredential(context, { credential_id });
    const first = (await create()).credential.id;
    await remove(first);
    const kept = (await create()).credential.id;
    await createSite(context, { name: 'one' });
    await expect(create()).rejects.toMatchObject({ code: 'too_many_requests', params: { seconds: 3600 } });
    await expect(createSite(context, { name: 'two' })).rejects.toMatchObject({ status: 429 });
    await remove(kept);
    const left = await app.db.selectFrom('credentials').select('id').execute();
    expect(left).toEqual([]);
    expect(await app.db.selectFrom('sites').select('name').execute()).toEqual([{ name: 'one' }]);
    wait(HOUR_MS);
    await create();
  });

  it('are those of its people and programs: jobs and other organizations are not affected', async () => {
    const { context, other } = await prepare(1);
    await createSite(context, { name: 'one' });
    await expect(createSite(context, { name: 'two' })).rejects.toMatchObject({ status: 429 });
    await createSite(other, { name: 'three' });
    const job = { ...context, actor: { kind: 'job', name: 'expire' } as const };
    await inUnitOfWork(job, ({ audit }) =>
      audit({
        action: 'version.expire',
        resource_type: 'site',
        resource_id: 'x',
        organization_id: context.organization.id,
      }),
    );
  });
});
