import type { RequestContext } from '#server/context.ts';
import { removeInSlices } from '../../shared/remove-in-slices.ts';
import { PAST_INVITATION_KEPT_MS } from '../rules.ts';

/**
 * Removes invitations 30 days after they were used, revoked or expired, and returns how many. The audit log
 * keeps what became of them.
 */
export async function purgePastInvitations(
  { app }: RequestContext,
  stopping?: AbortSignal,
): Promise<{ purged: number }> {
  const before = app.clock.now() - PAST_INVITATION_KEPT_MS;
  const remove = (limit: number) =>
    app.db
      .deleteFrom('organization_invitations')
      .where('id', 'in', (from) =>
        from
          .selectFrom('organization_invitations')
          .select('id')
          .where((eb) =>
            eb.or([
              eb('expires_at', '<=', before),
              eb('accepted_at', '<=', before),
              eb('revoked_at', '<=', before),
            ]),
          )
          .limit(limit),
      )
      .executeTakeFirstOrThrow();
  return { purged: await removeInSlices(remove, stopping) };
}
