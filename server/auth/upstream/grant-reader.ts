import type { App } from '../../context.ts';
import {
  findSignInGrant,
  type KeptGrant,
  replaceSignInGrant,
} from '../../services/identity/sign-in/sign-in-grants.ts';
import type { OidcClient } from '../oidc-client.ts';
import type { ReadingGrant, Upstream } from './create-upstream.ts';
import { isRefused, UpstreamError } from './upstream-error.ts';
import type { UpstreamPerson } from './upstream-person.ts';

/**
 * Shorter than the pause after an attempt, so that two nodes never refresh the same person at the same time.
 */
const WORK_MS = 45_000;
/** A token that expires this soon is renewed first. */
const EXPIRY_MARGIN_MS = 30_000;

/** Whose memberships are read. */
export interface GrantQuestion {
  userId: string;
  subject: string;
  /** The current grant, updated when it is renewed. */
  grant: KeptGrant | null;
}

/** Reads a person from the issuer with their grant. @throws UpstreamError */
export type GrantReader = (question: GrantQuestion, grant: KeptGrant) => Promise<UpstreamPerson | null>;

/**
 * Returns the reader, which renews tokens that no longer work. It returns null for a grant that cannot be renewed, if the
 * upstream can do without.
 */
export function createGrantReader(app: App, client: OidcClient, upstream: Upstream): GrantReader {
  const { db, clock } = app;

  /**
   * Returns tokens that work now. They are stored immediately, because the earlier ones may have become
   * invalid.
   */
  const renew = async (question: GrantQuestion, grant: KeptGrant): Promise<ReadingGrant> => {
    const { userId, subject } = question;
    if (grant.refreshToken === null) throw new UpstreamError('refused', 'the grant cannot be renewed');
    try {
      const { idToken, ...tokens } = await client.refresh(grant.refreshToken, subject);
      const refreshToken = tokens.refreshToken ?? grant.refreshToken;
      const renewed = { ...tokens, refreshToken, groupsSource: grant.groupsSource };
      const mark = await replaceSignInGrant(db, app, userId, { from: grant, to: renewed });
      // Replaced by a sign-in meanwhile: that grant stays, and these tokens are still valid for reading.
      question.grant = { ...renewed, mark: mark ?? grant.mark };
      return { ...renewed, freshIdToken: idToken };
    } catch (error) {
      const newest = isRefused(error) ? await findSignInGrant(db, app, userId) : null;
      if (!newest || newest.mark === grant.mark) throw error;
      // Of rotating tokens only the newest works, and another node or a sign-in has it.
      question.grant = newest;
      return { ...newest, freshIdToken: null };
    }
  };

  return async (question, grant) => {
    const signal = AbortSignal.timeout(WORK_MS);
    const { subject } = question;
    const { accessExpiresAt, refreshToken } = grant;
    const isExpired = accessExpiresAt !== null && accessExpiresAt - EXPIRY_MARGIN_MS <= clock.now();
    if (isExpired || upstream.needsFreshTokens(grant)) {
      if (refreshToken === null && !upstream.isGrantRequired) return null;
      return upstream.read(await renew(question, grant), subject, signal);
    }
    try {
      return await upstream.read({ ...grant, freshIdToken: null }, subject, signal);
    } catch (error) {
      // An issuer need not say when a token expires.
      if (!isRefused(error) || refreshToken === null) throw error;
      return upstream.read(await renew(question, grant), subject, signal);
    }
  };
}
