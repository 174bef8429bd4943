import type { RequestContext } from '#server/context.ts';
import { inUnitOfWork, type UnitOfWork } from '../../shared/unit-of-work.ts';

/** Who was signed out at an issuer: one browser's session there, all of a person's, or both. */
export interface SignedOutIdentity {
  issuer: string;
  subject: string | null;
  identitySession: string | null;
}

/**
 * Ends the sessions of the person who was signed out at the issuer and returns how many. People of other
 * issuers are not affected.
 */
export async function endSessionsOfIdentity(
  context: RequestContext,
  { issuer, subject, identitySession }: SignedOutIdentity,
): Promise<number> {
  if (subject === null && identitySession === null) return 0;
  return inUnitOfWork(context, async (unit) => {
    let found = unit.trx
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(['sessions.id', 'sessions.user_id'])
      .where('users.issuer', '=', issuer);
    if (subject !== null) found = found.where('users.subject', '=', subject);
    if (identitySession !== null) found = found.where('sessions.identity_session', '=', identitySession);
    const sessions = await found.execute();
    await endSessions(unit, sessions);
    return sessions.length;
  });
}

/** Ends sessions on behalf of the issuer, and records each. */
export async function endSessions(
  { trx, audit }: UnitOfWork,
  sessions: readonly { id: string; user_id: string }[],
): Promise<void> {
  for (const session of sessions) {
    await trx.deleteFrom('sessions').where('id', '=', session.id).execute();
    await audit({
      action: 'session.end_by_issuer',
      resource_type: 'session',
      resource_id: session.id,
      organization_id: null,
      before: { user_id: session.user_id },
    });
  }
}
