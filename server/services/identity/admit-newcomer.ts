import type { Executor } from '#db/client.ts';
import { isAtDomain } from '#server/config/registration-config.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findOpenInvitation } from '../organizations/invitation-queries.ts';
import type { RegistrationTerms } from './schema.ts';

/** What is known of somebody whom this installation does not know yet. */
export interface Newcomer {
  email: string;
  /** Whether the address is known to be theirs. */
  isEmailProven: boolean;
  /** The groups at the issuer; null when the issuer could not be asked. */
  groups: readonly string[] | null;
  /** Of the invitation whose link they followed. */
  invitationToken: string | null;
}

/** Under which condition somebody is let in. */
export interface Admission {
  /** The address counts only once a link sent there was opened. */
  awaitsVerification: boolean;
  /** The invitation that let them in. */
  invitationId: string | null;
}

const AT_ONCE: Admission = { awaitsVerification: false, invitationId: null };

/**
 * Goes on when the setting REGISTRATION lets somebody new in.
 * @throws registration_closed; sign_in_unavailable when only groups could tell and the issuer did not
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

/** Returns who may register at the embedded identity service, as the page says it to somebody with or without an invitation. */
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
