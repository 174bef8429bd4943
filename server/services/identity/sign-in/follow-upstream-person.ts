import type { RequestContext } from '#server/context.ts';
import {
  applyUpstreamMemberships,
  type UpstreamOrganization,
} from '../../organizations/upstream/apply-upstream-memberships.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import type { SignedInIdentity } from './sign-in-user.ts';

export interface UpstreamPersonChange {
  userId: string;
  /** Absent fields do not change. */
  profile: Partial<Omit<SignedInIdentity, 'issuer' | 'subject'>>;
  organizations: readonly UpstreamOrganization[];
  /** When the issuer was asked; the answers of a later sign-in are newer and stay. */
  askedAt: number;
}

/**
 * Updates a person's profile and memberships to those that the external issuer returned. Does nothing when
 * newer data has arrived since the request.
 */
export async function followUpstreamPerson(
  context: RequestContext,
  { userId, profile, organizations, askedAt }: UpstreamPersonChange,
): Promise<void> {
  await inUnitOfWork(context, async (unit) => {
    // This write locks the person: a concurrent sign-in waits, or was earlier and counts.
    const user = await unit.trx
      .updateTable('users')
      .set({ ...profile, memberships_synced_at: askedAt })
      .where('id', '=', userId)
      .where((eb) =>
        eb.or([eb('memberships_synced_at', 'is', null), eb('memberships_synced_at', '<', askedAt)]),
      )
      .returning(['id', 'login', 'issuer'])
      .executeTakeFirst();
    if (user) await applyUpstreamMemberships(unit, context, { user, issuer: user.issuer, organizations });
  });
}
