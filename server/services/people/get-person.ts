import type { z } from 'zod';
import type { Executor } from '#db/client.ts';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { isPersonal } from '../organizations/rules.ts';
import { toInstant } from '../shared/schema.ts';
import { listOwnedAlone, type PersonRow, requirePersonRow, toPersonForOperator } from './queries.ts';
import { type PersonDetail, personInput } from './schema.ts';

/**
 * Returns a person with their organizations and sessions.
 * @throws operator_required, person_not_found, invalid_input
 */
export async function getPerson(
  context: RequestContext,
  input: z.input<typeof personInput>,
): Promise<PersonDetail> {
  requireOperator(context, 'read');
  const { person } = personInput.parse(input);
  const { db } = context.app;
  return describePerson(db, await requirePersonRow(db, person));
}

/** Returns the row with the person's organizations and sessions. */
export async function describePerson(executor: Executor, row: PersonRow): Promise<PersonDetail> {
  const nobody = { ...toPersonForOperator(row), sessions: 0, last_used_at: null, organizations: [] };
  const { user_id } = row;
  if (user_id === null) return nobody;
  const memberships = await executor
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['organizations.id', 'organizations.name', 'organizations.external_id', 'memberships.permission'])
    .where('memberships.user_id', '=', user_id)
    .orderBy('organizations.id')
    .execute();
  const sessions = await executor
    .selectFrom('sessions')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.max('last_used_at').as('last_used_at')])
    .where('user_id', '=', user_id)
    .executeTakeFirst();
  const alone = new Set((await listOwnedAlone(executor, user_id)).map(({ id }) => id));
  const last = sessions?.last_used_at ?? null;
  return {
    ...nobody,
    sessions: Number(sessions?.count ?? 0),
    last_used_at: toInstant(last === null ? null : Number(last)),
    organizations: memberships.map(({ id, name, external_id, permission }) => ({
      ...{ id, name, permission },
      is_personal: isPersonal(external_id),
      is_only_owner: alone.has(id),
    })),
  };
}
