import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { endEverything } from './end-everything.ts';
import { describePerson } from './get-person.ts';
import { type PersonRow, requirePersonRow } from './queries.ts';
import { blockPersonInput, type PersonDetail, personInput } from './schema.ts';

/**
 * Blocks a person and returns them: every session ends, and no sign-in begins another one, here or in
 * programs that use these accounts. What belongs to their organizations, credentials included, stays as it
 * is. Blocking again only changes the reason.
 * @throws operator_required, person_not_found, invalid_input
 */
export async function blockPerson(
  context: RequestContext,
  input: z.input<typeof blockPersonInput>,
): Promise<PersonDetail> {
  requireOperator(context, 'manage');
  const { person, reason } = blockPersonInput.parse(input);
  const { app } = context;
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const row = await requirePersonRow(trx, person);
    if (row.blocked_at !== null && row.blocked_reason === reason) return describePerson(trx, row);
    const blocked = { ...row, blocked_at: row.blocked_at ?? now, blocked_reason: reason };
    await writeBlock(trx, blocked);
    // After the write: a concurrent sign-in has either opened its session before, or finds the person
    // blocked.
    const ended = await endEverything(trx, app, row);
    await audit({
      action: 'person.block',
      resource_type: 'person',
      resource_id: row.id,
      organization_id: null,
      before: { blocked_at: row.blocked_at, reason: row.blocked_reason },
      after: { login: row.login, reason, ended_sessions: ended },
    });
    return describePerson(trx, blocked);
  });
}

/** Unblocks a person and returns them. @throws operator_required, person_not_found, invalid_input */
export async function unblockPerson(
  context: RequestContext,
  input: z.input<typeof personInput>,
): Promise<PersonDetail> {
  requireOperator(context, 'manage');
  const { person } = personInput.parse(input);
  return inUnitOfWork(context, async ({ trx, audit }) => {
    const row = await requirePersonRow(trx, person);
    if (row.blocked_at === null) return describePerson(trx, row);
    const free = { ...row, blocked_at: null, blocked_reason: null };
    await writeBlock(trx, free);
    await audit({
      action: 'person.unblock',
      resource_type: 'person',
      resource_id: row.id,
      organization_id: null,
      before: { blocked_at: row.blocked_at, reason: row.blocked_reason },
      after: { login: row.login },
    });
    return describePerson(trx, free);
  });
}

/** For the person and the account: one may exist without the other. */
async function writeBlock(
  trx: Trx,
  { user_id, subject, blocked_at, blocked_reason }: PersonRow,
): Promise<void> {
  if (user_id !== null) {
    await trx.updateTable('users').set({ blocked_at, blocked_reason }).where('id', '=', user_id).execute();
  }
  if (subject !== null) {
    await trx
      .updateTable('identity_accounts')
      .set({ blocked_at, blocked_reason })
      .where('number', '=', Number(subject))
      .execute();
  }
}
