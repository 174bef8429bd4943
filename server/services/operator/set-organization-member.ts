import type { z } from 'zod';
import type { Executor, Trx } from '#db/client.ts';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { loginProblem } from '../identity/accounts/account-rules.ts';
import { EMBEDDED_ISSUER } from '../identity/rules.ts';
import { requireOtherOwner } from '../organizations/members/require-other-owner.ts';
import { isPersonal, type Permission, RESERVED_HANDLES } from '../organizations/rules.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { lockOrganization, type OrganizationRow } from './queries.ts';
import { type SetMemberResult, setMemberInput } from './schema.ts';

/**
 * Makes a person who has signed in here a member of a named organization, or changes a member's permission:
 * for an organization that has lost its owner. A detached one is taken over by this installation at the same
 * time, because its identity service would remove the membership again; one that was deleted here comes back,
 * under another handle. Setting the same again changes and records nothing.
 * @throws operator_required, organization_not_found, organization_is_personal,
 * organization_managed_elsewhere, member_not_found, last_owner; invalid_input when several people have the
 * login or the address
 */
export async function setOrganizationMember(
  context: RequestContext,
  input: z.input<typeof setMemberInput>,
): Promise<SetMemberResult> {
  requireOperator(context, 'manage');
  const { organization_id, member, permission } = setMemberInput.parse(input);
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const organization = await lockOrganization(trx, organization_id);
    if (isPersonal(organization.external_id)) throw new AppError('organization_is_personal');
    const isDetached = organization.detached_at !== null;
    if (organization.issuer !== EMBEDDED_ISSUER && !isDetached) {
      throw new AppError('organization_managed_elsewhere');
    }
    const user = await findPerson(trx, member);
    const before = await findPermission(trx, organization.id, user.id);
    const result = { user_id: user.id, login: user.login, email: user.email, permission };
    if (before === permission && !isDetached) return result;
    if (before === 'owner' && permission !== 'owner') await requireOtherOwner(trx, organization.id, user.id);
    if (isDetached) await takeOver(trx, organization, now);
    await trx
      .insertInto('memberships')
      .values({ organization_id: organization.id, user_id: user.id, permission, created_at: now })
      .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doUpdateSet({ permission }))
      .execute();
    await audit({
      action: 'member.set',
      resource_type: 'member',
      resource_id: user.id,
      organization_id: organization.id,
      before: { permission: before, detached_at: organization.detached_at },
      after: { login: user.login, permission },
    });
    return result;
  });
}

/** @throws member_not_found, invalid_input */
async function findPerson(executor: Executor, member: string) {
  // Some issuers let people choose a login that is another person's address: the two count as one name.
  for (const columns of [['id'], ['login', 'email']] as const) {
    const people = await executor
      .selectFrom('users')
      .select(['id', 'login', 'email'])
      .where((eb) =>
        eb.or(columns.map((column) => eb(eb.fn<string>('lower', [column]), '=', member.toLowerCase()))),
      )
      .limit(2)
      .execute();
    if (people.length > 1) {
      throw new AppError('invalid_input', {
        reason: `several people match ${member}; use the id of one`,
      });
    }
    if (people[0]) return people[0];
  }
  throw new AppError('member_not_found');
}

async function findPermission(
  executor: Executor,
  organizationId: string,
  userId: string,
): Promise<Permission | null> {
  const row = await executor
    .selectFrom('memberships')
    .select('permission')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.permission ?? null;
}

/** From here on the organization is managed by this installation, under an unused number and handle. */
async function takeOver(trx: Trx, organization: OrganizationRow, now: number): Promise<void> {
  await trx
    .insertInto('organization_numbers')
    .values({ organization_id: organization.id })
    .onConflict((conflict) => conflict.column('organization_id').doNothing())
    .execute();
  const { number } = await trx
    .selectFrom('organization_numbers')
    .select('number')
    .where('organization_id', '=', organization.id)
    .executeTakeFirstOrThrow();
  const wanted = organization.handle?.toLowerCase() ?? '';
  const isUsable = loginProblem(wanted) === null && !RESERVED_HANDLES.has(wanted);
  const taken = await trx
    .selectFrom('organizations')
    .select('id')
    .where('issuer', '=', EMBEDDED_ISSUER)
    .where('handle', '=', wanted)
    .where('id', '!=', organization.id)
    .executeTakeFirst();
  const handle = isUsable && !taken ? wanted : `org-${organization.id}`;
  await trx
    .updateTable('organizations')
    .set({
      issuer: EMBEDDED_ISSUER,
      upstream_id: String(number),
      handle,
      detached_at: null,
      updated_at: now,
    })
    .where('id', '=', organization.id)
    .execute();
}
