import type { SignedInIdentity } from '../../services/identity/sign-in/sign-in-user.ts';
import type { UpstreamOrganization } from '../../services/organizations/upstream/apply-upstream-memberships.ts';

export type UpstreamProfile = Omit<SignedInIdentity, 'issuer' | 'subject'>;

/** A person as an external issuer currently describes them. */
export interface UpstreamPerson {
  /** What is known about the profile; an absent field does not change here. */
  profile: Partial<UpstreamProfile>;
  organizations: UpstreamOrganization[];
}
