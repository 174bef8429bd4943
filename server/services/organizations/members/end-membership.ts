import type { Trx } from '#db/client.ts';
import type { MemberRow } from './member-queries.ts';
import { requireOtherOwner } from './require-other-owner.ts';

/** Removes a member from a locked organization, which must keep an owner. @throws last_owner */
export async function endMembership(trx: Trx, organizationId: string, member: MemberRow): Promise<void> {
  if (member.permission === 'owner') await requireOtherOwner(trx, organizationId, member.user_id);
  await trx
    .deleteFrom('memberships')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', member.user_id)
    .execute();
}
