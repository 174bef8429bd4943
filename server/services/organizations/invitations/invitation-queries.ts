import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { OrganizationInvitationsTable } from '#db/schema/organization-invitations.ts';
import type { App, RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import { EMBEDDED_ISSUER } from '../../identity/rules.ts';
import { toInstant } from '../../shared/schema.ts';
import type { Invitation } from '../schema.ts';

export type InvitationRow = Selectable<OrganizationInvitationsTable>;

/** Returns the stored form of a token: a copy of the table grants no access. */
export function invitationTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Starts a read of the valid invitations: not used, revoked or expired, of an organization that is managed
 * here, by a person who could still grant the permission. A person who is removed or demoted cannot come back
 * by their own link.
 */
export function selectOpenInvitations(executor: Executor, now: number) {
  return executor
    .selectFrom('organization_invitations')
    .innerJoin('organizations', 'organizations.id', 'organization_invitations.organization_id')
    .where('organization_invitations.accepted_at', 'is', null)
    .where('organization_invitations.revoked_at', 'is', null)
    .where('organization_invitations.expires_at', '>', now)
    .where('organizations.issuer', '=', EMBEDDED_ISSUER)
    .where('organizations.detached_at', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('memberships')
          .select('memberships.user_id')
          .whereRef('memberships.user_id', '=', 'organization_invitations.invited_by_id')
          .whereRef('memberships.organization_id', '=', 'organization_invitations.organization_id')
          .where((inner) =>
            inner.or([
              inner('memberships.permission', '=', 'owner'),
              inner.and([
                inner('memberships.permission', '=', 'admin'),
                inner('organization_invitations.permission', '!=', 'owner'),
              ]),
            ]),
          ),
      ),
    )
    .selectAll('organization_invitations');
}

/** Counts an attempt to open an invitation's link, valid or not. @throws too_many_requests */
export async function countInvitationLookup({ app, address }: RequestContext): Promise<void> {
  await app.rateLimits.consume('invitation_lookup_address', addressKey(address));
}

/** Returns the valid invitation with this token, or null, whatever the reason. */
export async function findOpenInvitation(
  executor: Executor,
  now: number,
  token: string,
): Promise<InvitationRow | null> {
  const row = await selectOpenInvitations(executor, now)
    .where('organization_invitations.token_hash', '=', invitationTokenHash(token))
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the valid invitation with this token. @throws invitation_not_found, whatever the reason */
export async function requireOpenInvitation(
  executor: Executor,
  now: number,
  token: string,
): Promise<InvitationRow> {
  const row = await findOpenInvitation(executor, now, token);
  if (!row) throw new AppError('invitation_not_found');
  return row;
}

/** Returns the inviter's name as shown to people, or the recorded one when the person no longer exists. */
export async function findInviterName(
  executor: Executor,
  { invited_by, invited_by_id }: InvitationRow,
): Promise<string> {
  const user = await executor
    .selectFrom('users')
    .select('full_name')
    .where('id', '=', invited_by_id)
    .executeTakeFirst();
  return user?.full_name ?? invited_by;
}

/**
 * Returns the delivery status of each invitation's message; an invitation that is not in the result has none.
 */
export async function findDeliveries(
  executor: Executor,
  ids: readonly string[],
): Promise<Map<string, Invitation['delivery']>> {
  if (ids.length === 0) return new Map();
  const mails = await executor
    .selectFrom('outgoing_mails')
    .select(['resource_id', 'sent_at', 'failed_at'])
    .where('resource_type', '=', 'invitation')
    .where('resource_id', 'in', ids)
    .execute();
  return new Map(mails.map((mail) => [mail.resource_id, deliveryOf(mail)]));
}

function deliveryOf(mail: { sent_at: number | null; failed_at: number | null }): Invitation['delivery'] {
  if (mail.sent_at !== null) return 'sent';
  return mail.failed_at === null ? 'queued' : 'failed';
}

/** Returns the address with which anyone can join. */
export function invitationLink({ config }: App, token: string): string {
  return `${config.publicUrl}/identity/invitations/${token}`;
}

/** Returns the row for clients, without its link when the reader may not see it. */
export function toInvitation(
  row: InvitationRow,
  { link, delivery }: Pick<Invitation, 'link' | 'delivery'>,
): Invitation {
  return {
    id: row.id,
    email: row.email,
    permission: row.permission,
    invited_by: row.invited_by,
    created_at: toInstant(row.created_at),
    expires_at: toInstant(row.expires_at),
    link,
    delivery,
  };
}
