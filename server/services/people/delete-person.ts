import type { z } from 'zod';
import type { Executor, Trx } from '#db/client.ts';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { closeOrganization } from '../organizations/close-organization.ts';
import { findOrganizationsWithContent } from '../organizations/find-content.ts';
import { isPersonal } from '../organizations/rules.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { blockPerson } from './block-person.ts';
import { emptyOrganization } from './empty-organization.ts';
import { endEverything } from './end-everything.ts';
import { listOwnedAlone, type OwnedAlone, type PersonRow, requirePersonRow } from './queries.ts';
import { type DeletePersonResult, deletePersonInput } from './schema.ts';

/**
 * Deletes a person: the local account, sessions, memberships and the personal workspace. Organizations
 * without another owner are transferred to the person named in `give_to`, or deleted with `delete_content`;
 * the content of a personal workspace is deleted only with it. When that takes a while, the person is blocked
 * first, so that nothing is added meanwhile; after an interruption, calling it again continues. Records,
 * invoices and the audit log keep the name. A person of an external issuer may sign in again: block them
 * instead.
 * @throws operator_required, person_not_found, invalid_input; person_owns when that is not decided: nothing
 * has changed then, unless something was added while it ran
 */
export async function deletePerson(
  context: RequestContext,
  input: z.input<typeof deletePersonInput>,
): Promise<DeletePersonResult> {
  const operator = requireOperator(context, 'manage');
  const { person, give_to, delete_content } = deletePersonInput.parse(input);
  const { app } = context;
  const found = await requirePersonRow(app.db, person);
  const heir = give_to === undefined ? null : await requireHeir(app.db, give_to, found);
  const plan = await planOrganizations(app.db, found, heir);
  requireDecided(plan.deleted, delete_content);
  const filled = plan.deleted.filter(({ hasContent }) => hasContent);
  if (filled.length > 0 && found.blocked_at === null) {
    await blockPerson(context, { person: found.id, reason: 'is being deleted' });
  }
  for (const { id } of filled) {
    await emptyOrganization(context, id, `deletion of ${found.login} by ${operator.name}`);
  }
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const row = await requirePersonRow(trx, found.id);
    await endEverything(trx, app, row);
    const { given, deleted } = await planOrganizations(trx, row, heir);
    requireDecided(deleted, delete_content);
    // Someone else has added to what is being deleted meanwhile.
    const late = deleted.filter(({ hasContent }) => hasContent);
    if (late.length > 0) throw ownsStill(late);
    for (const { id } of given) await makeOwner(trx, id, heir?.user_id ?? '', now);
    for (const { id } of deleted) await closeOrganization(trx, app, id, now);
    await forget(trx, row);
    await audit({
      action: 'person.delete',
      resource_type: 'person',
      resource_id: row.id,
      organization_id: null,
      before: { login: row.login, email: row.email, issuer: row.issuer },
      after: {
        given_to: given.length > 0 ? heir?.login : null,
        given_organizations: given.map(({ id }) => id),
        deleted_organizations: deleted.map(({ id }) => id),
      },
    });
    return {
      id: row.id,
      login: row.login,
      given_organizations: given.map(({ name }) => name),
      deleted_organizations: deleted.map(({ name }) => name),
    };
  });
}

/**
 * Requires a decision about everything that would disappear: the content of a workspace, and every other
 * organization, which others may belong to.
 * @throws person_owns
 */
function requireDecided(deleted: readonly Ended[], mayDelete: boolean): void {
  const undecided = deleted.filter(({ external_id, hasContent }) => hasContent || !isPersonal(external_id));
  if (undecided.length > 0 && !mayDelete) throw ownsStill(undecided);
}

function ownsStill(organizations: readonly OwnedAlone[]): AppError {
  return new AppError('person_owns', { names: organizations.map(({ name }) => name).join(', ') });
}

/** @throws person_not_found, invalid_input */
async function requireHeir(executor: Executor, reference: string, person: PersonRow): Promise<PersonRow> {
  const heir = await requirePersonRow(executor, reference);
  const refuse = (reason: string) => new AppError('invalid_input', { reason });
  if (heir.id === person.id) throw refuse('give_to names the person who is being deleted');
  if (heir.user_id === null) throw refuse('give_to names a person who has not signed in yet');
  if (heir.blocked_at !== null) throw refuse('give_to names a person who is blocked');
  return heir;
}

/** An organization that ends with the person. */
interface Ended extends OwnedAlone {
  hasContent: boolean;
}

/** Decides what happens to the organizations without another owner. */
async function planOrganizations(
  executor: Executor,
  { user_id }: PersonRow,
  heir: PersonRow | null,
): Promise<{ given: OwnedAlone[]; deleted: Ended[] }> {
  const alone = user_id === null ? [] : await listOwnedAlone(executor, user_id);
  const isGiven = ({ external_id }: OwnedAlone) => heir !== null && !isPersonal(external_id);
  const ended = alone.filter((owned) => !isGiven(owned));
  const ids = ended.map(({ id }) => id);
  const filled = await findOrganizationsWithContent(executor, ids, null);
  return {
    given: alone.filter(isGiven),
    deleted: ended.map((owned) => ({ ...owned, hasContent: filled.has(owned.id) })),
  };
}

function makeOwner(trx: Trx, organization_id: string, user_id: string, now: number): Promise<unknown> {
  return trx
    .insertInto('memberships')
    .values({ organization_id, user_id, permission: 'owner', created_at: now })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'user_id']).doUpdateSet({ permission: 'owner' }),
    )
    .execute();
}

/** Memberships, sessions and grants are deleted with the person. An account's number is never reused. */
async function forget(trx: Trx, { user_id, subject }: PersonRow): Promise<void> {
  if (user_id !== null) await trx.deleteFrom('users').where('id', '=', user_id).execute();
  if (subject === null) return;
  const number = Number(subject);
  await trx.deleteFrom('identity_mail_links').where('account_number', '=', number).execute();
  await trx.deleteFrom('identity_accounts').where('number', '=', number).execute();
}
