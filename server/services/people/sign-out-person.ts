import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { endEverything } from './end-everything.ts';
import { describePerson } from './get-person.ts';
import { requirePersonRow } from './queries.ts';
import { type PersonDetail, personInput } from './schema.ts';

/**
 * Ends every session of a person, everywhere, and returns the person; they can sign in again.
 * @throws operator_required, person_not_found, invalid_input
 */
export async function signOutPerson(
  context: RequestContext,
  input: z.input<typeof personInput>,
): Promise<PersonDetail> {
  requireOperator(context, 'manage');
  const { person } = personInput.parse(input);
  const { app } = context;
  return inUnitOfWork(context, async ({ trx, audit }) => {
    const row = await requirePersonRow(trx, person);
    const ended = await endEverything(trx, app, row);
    await audit({
      action: 'person.sign_out',
      resource_type: 'person',
      resource_id: row.id,
      organization_id: null,
      after: { login: row.login, ended_sessions: ended },
    });
    return describePerson(trx, row);
  });
}
