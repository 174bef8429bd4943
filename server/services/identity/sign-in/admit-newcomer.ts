import type { Executor } from '#db/client.ts';
import { isAtDomain } from '#server/config/registration-config.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findOpenInvitation } from '../../organizations/invitations/invitation-queries.ts';
import type { RegistrationTerms } from '../schema.ts';

/** What is known about a person who is new to this installation. */
export interface Newcomer {
  email: string;
  /** Whether the address is known to be the person's. */
  isEmailProven: boolean;
  /** The groups at the issuer; null when they could not be read. */
  groups: readonly string[] | null;
  /** The token of the invitation whose link the person followed. */
  invitationToken: string | null;
}

/** Under which condition a person is admitted. */
export interface Admission {
  /** The account can be used only once a link sent to the address was opened. */
  awaitsVerification: boolean;
  /** The invitation that admitted the person. */
  invitationId: string | null;
}

const AT_ONCE: Admission = { awaitsVerification: false, invitationId: null };

/**
 * Requires that the setting REGISTRATION admits a new person.
 * @throws registration_closed; sign_in_unavailable when only groups could decide and the issuer did not
 * return them
 */
export async function admitNewcomer(executor: Executor, app: App, newcomer: Newcomer): Promise<Admission> {
  const { registration } = app.config;
  if (registration.isOpen) return AT_ONCE;
  const { email, isEmailProven, groups, invitationToken } = newcomer;
  if (groups?.some((group) => registration.groups.includes(group))) return AT_ONCE;
  const isAtHome = isAtDomain(email, registration.domains);
  if (isAtHome && isEmailProven) return AT_ONCE;
  const invitationId = await findInvitation(executor, app, invitationToken);
  if (invitationId !== null) return { awaitsVerification: false, invitationId };
  if (isAtHome && app.config.oidc === null) return { awaitsVerification: true, invitationId: null };
  if (groups === null && registration.groups.length > 0) throw new AppError('sign_in_unavailable');
  throw new AppError('registration_closed');
}

/**
 * Returns who may register at the embedded identity service, as shown to a visitor with or without an
 * invitation.
 */
export async function getRegistrationTerms(
  app: App,
  invitationToken: string | null,
): Promise<RegistrationTerms> {
  const { isOpen, domains } = app.config.registration;
  const isInvited = isOpen || (await findInvitation(app.db, app, invitationToken)) !== null;
  return { is_possible: isInvited || domains.length > 0, domains: isInvited ? [] : [...domains] };
}

async function findInvitation(executor: Executor, app: App, token: string | null): Promise<string | null> {
  if (!app.config.registration.isByInvitation || token === null) return null;
  return (await findOpenInvitation(executor, app.clock.now(), token))?.id ?? null;
}
