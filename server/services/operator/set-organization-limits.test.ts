import { describe, expect, it } from 'vitest';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { listLimits } from '../limits/list-limits.ts';
import type { LimitName } from '../limits/rules.ts';
import { createSite } from '../sites/create-site.ts';
import { setOrganizationLimits } from './set-organization-limits.ts';

describe('the limits of one organization', () => {
  it('are set and reset by an operator, and each change is recorded once', async () => {
    const app = await createTestApp({ environment: { LIMIT_SITES: '5' } });
    const { context } = await createTestPerson(app);
    const organization_id = context.organization.id;
    const operator = operatorContext(app);
    const limitsOf = async (name: LimitName) =>
      (await listLimits(context)).find((use) => use.name === name)?.limit;
    const set = await setOrganizationLimits(operator, {
      organization_id,
      limits: { sites: 0, stored_bytes: 9 },
    });
    expect(set.limits.find(({ name }) => name === 'sites')).toEqual({
      ...{ name: 'sites', used: 0, limit: 0 },
      ...{ default_limit: 5, is_default: false },
    });
    await expect(createSite(context, { name: 'one' })).rejects.toMatchObject({ code: 'limit_sites' });
    await setOrganizationLimits(operator, { organization_id, limits: { sites: 0 } });
    await setOrganizationLimits(operator, { organization_id, limits: { sites: null } });
    expect([await limitsOf('sites'), await limitsOf('stored_bytes')]).toEqual([5, 9]);
    await createSite(context, { name: 'one' });
    const events = await app.db
      .selectFrom('audit_events')
      .select(['before', 'after'])
      .where('action', '=', 'organization.limits')
      .orderBy('id')
      .execute();
    expect(events.map(({ before, after }) => [JSON.parse(before ?? ''), JSON.parse(after ?? '')])).toEqual([
      [{}, { sites: 0, stored_bytes: 9 }],
      [{ sites: 0, stored_bytes: 9 }, { stored_bytes: 9 }],
    ]);
    await expect(
      setOrganizationLimits(operatorContext(app, 'read'), { organization_id, limits: {} }),
    ).rejects.toMatchObject({ code: 'operator_required' });
  });
});
