import { describe, expect, it } from 'vitest';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createAccount } from '../identity/accounts/create-account.ts';
import { suspendOrganization } from '../operator/suspend-organization.ts';
import { actAsOperator, getOperatorAccess } from './act-as-operator.ts';
import { listPeople } from './list-people.ts';
import { setOperatorAccess } from './set-operator-access.ts';

async function prepare() {
  const app = await createTestApp();
  const ada = await createTestPerson(app, { login: 'ada' });
  return { app, ada, line: operatorContext(app) };
}

describe('an operator in the console', () => {
  it('is appointed at the command line, has the access named there, and loses it with the next call', async () => {
    const { app, ada, line } = await prepare();
    expect(await getOperatorAccess(ada.context)).toEqual({ access: null });
    const refused = { code: 'operator_required' };
    await expect(listPeople(await actAsOperator(ada.context))).rejects.toMatchObject(refused);
    await setOperatorAccess(line, { person: 'ada', access: 'read' });
    expect(await getOperatorAccess(ada.context)).toEqual({ access: 'read' });
    const reader = await actAsOperator(ada.context);
    expect((await listPeople(reader)).items).toHaveLength(1);
    const suspension = { organization_id: ada.organization.id, reason: 'unpaid' };
    await expect(suspendOrganization(reader, suspension)).rejects.toMatchObject(refused);
    await setOperatorAccess(line, { person: 'ada', access: 'manage' });
    await suspendOrganization(await actAsOperator(ada.context), suspension);
    const event = await app.db
      .selectFrom('audit_events')
      .select(['actor_kind', 'actor_id', 'actor_name'])
      .where('action', '=', 'organization.suspend')
      .executeTakeFirst();
    expect(event).toEqual({ actor_kind: 'operator', actor_id: ada.user.id, actor_name: 'ada' });
    await setOperatorAccess(line, { person: 'ada', access: 'none' });
    await expect(listPeople(await actAsOperator(ada.context))).rejects.toMatchObject(refused);
  });

  it('cannot be a person who has not signed in yet, and nothing is recorded when nothing changes', async () => {
    const { app, line } = await prepare();
    await createAccount(line, { email: 'grace@example.ca', full_name: 'Grace' });
    const early = setOperatorAccess(line, { person: 'grace', access: 'read' });
    await expect(early).rejects.toMatchObject({ code: 'invalid_input' });
    await setOperatorAccess(line, { person: 'ada', access: 'none' });
    await setOperatorAccess(line, { person: 'ada', access: 'read' });
    await setOperatorAccess(line, { person: 'ada', access: 'read' });
    const events = await app.db
      .selectFrom('audit_events')
      .select('id')
      .where('action', '=', 'person.operator_access')
      .execute();
    expect(events).toHaveLength(1);
  });
});
