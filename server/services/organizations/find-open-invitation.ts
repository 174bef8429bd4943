import type { Executor } from '#db/client.ts';
import { invitationTokenHash, selectOpenInvitations } from './invitation-queries.ts';

/** Returns the id of the working invitation with this token, or null when there is none, whatever the reason. */
export async function findOpenInvitation(
  executor: Executor,
  now: number,
  token: string,
): Promise<string | null> {
  const row = await selectOpenInvitations(executor, now)
    .where('organization_invitations.token_hash', '=', invitationTokenHash(token))
    .executeTakeFirst();
  return row?.id ?? null;
}
