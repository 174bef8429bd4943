import type { SignedInIdentity } from '../../services/identity/sign-in-user.ts';
import type { UpstreamOrganization } from '../../services/organizations/apply-upstream-memberships.ts';

export type UpstreamProfile = Omit<SignedInIdentity, 'issuer' | 'subject'>;

/** A person as an external issuer knows it now. */
export interface UpstreamPerson {
  /** What is known of the profile; what is absent stays as it is here. */
  profile: Partial<UpstreamProfile>;
  organizations: UpstreamOrganization[];
}
