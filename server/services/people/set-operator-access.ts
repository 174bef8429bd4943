import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { describePerson } from './get-person.ts';
import { requirePersonRow } from './queries.ts';
import { type PersonDetail, setOperatorAccessInput } from './schema.ts';

/**
 * Gives a person who has signed in here operator access to the console, or takes it away, and returns the
 * person. Only the command line calls it, so that a stolen console session cannot appoint operators.
 * @throws operator_required, person_not_found; invalid_input for a person who has not signed in yet
 */
export async function setOperatorAccess(
  context: RequestContext,
  input: z.input<typeof setOperatorAccessInput>,
): Promise<PersonDetail> {
  requireOperator(context, 'manage');
  const { person, access } = setOperatorAccessInput.parse(input);
  return inUnitOfWork(context, async ({ trx, audit }) => {
    const row = await requirePersonRow(trx, person);
    if (row.user_id === null) {
      const reason = 'only a person who has signed in at least once can be an operator';
      throw new AppError('invalid_input', { reason });
    }
    const operator_access = access === 'none' ? null : access;
    if (operator_access === row.operator_access) return describePerson(trx, row);
    await trx.updateTable('users').set({ operator_access }).where('id', '=', row.user_id).execute();
    await audit({
      action: 'person.operator_access',
      resource_type: 'person',
      resource_id: row.id,
      organization_id: null,
      before: { access: row.operator_access },
      after: { login: row.login, access: operator_access },
    });
    return describePerson(trx, { ...row, operator_access });
  });
}
