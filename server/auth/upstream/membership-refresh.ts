import type { App, RequestContext } from '../../context.ts';
import { newId } from '../../ids.ts';
import { claimMembershipRefresh } from '../../services/identity/sign-in/claim-membership-refresh.ts';
import { endVoidSignIn } from '../../services/identity/sign-in/end-void-sign-in.ts';
import { followUpstreamPerson } from '../../services/identity/sign-in/follow-upstream-person.ts';
import { isMembershipRefreshDue } from '../../services/identity/sign-in/membership-rules.ts';
import {
  findSignInGrant,
  type KeptGrant,
  replaceSignInGrant,
} from '../../services/identity/sign-in/sign-in-grants.ts';
import type { OidcClient } from '../oidc-client.ts';
import type { SessionPerson, UpstreamState } from '../sessions.ts';
import type { ReadingGrant, Upstream } from './create-upstream.ts';
import { isRefused, UpstreamError } from './upstream-error.ts';
import type { UpstreamPerson } from './upstream-person.ts';

/**
 * How long a request waits; the refresh continues in the background and its result is used by the next
 * request.
 */
const REQUEST_WAIT_MS = 5_000;
/**
 * Shorter than the pause after an attempt, so that two nodes never refresh the same person at the same time.
 */
const WORK_MS = 45_000;
/** A token that expires this soon is renewed first. */
const EXPIRY_MARGIN_MS = 30_000;

export interface MembershipRefresh {
  /**
   * Updates the memberships of an external issuer's person when they are older than 15 minutes, waiting five
   * seconds at most. Returns whether it asked the issuer: then the session may have ended. Never throws.
   */
  before(person: SessionPerson, address: string): Promise<boolean>;
}

interface Question {
  userId: string;
  subject: string;
  issuer: string;
  address: string;
  /** The current grant, updated when it is renewed. */
  grant: KeptGrant | null;
}

/**
 * Creates the refresh that keeps memberships up to date while they are in use. One refresh per person runs at
 * a time, on one node.
 */
export function createMembershipRefresh(app: App, client: OidcClient, upstream: Upstream): MembershipRefresh {
  const { db, clock, logger } = app;
  const flights = new Map<string, Promise<void>>();

  /**
   * Returns tokens that work now. They are stored immediately, because the earlier ones may have become
   * invalid.
   */
  const renew = async (question: Question, grant: KeptGrant): Promise<ReadingGrant> => {
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

  const read = async (question: Question, grant: KeptGrant): Promise<UpstreamPerson | null> => {
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

  const refresh = async (question: Question): Promise<void> => {
    const { userId, subject, issuer, address } = question;
    const askedAt = clock.now();
    if (!(await claimMembershipRefresh(db, userId, askedAt))) return;
    const actor = { kind: 'job', name: 'membership sync' } as const;
    const context: RequestContext = { app, actor, requestId: newId(), address };
    try {
      const grant = await findSignInGrant(db, app, userId);
      question.grant = grant;
      if (!grant) throw new UpstreamError('refused', 'nothing was granted');
      // Tokens are sent only to the issuer that issued them.
      const configured = await client.metadata();
      if (configured.issuer !== issuer)
        throw new UpstreamError('refused', 'another issuer is configured now');
      const person = await read(question, grant);
      if (person) await followUpstreamPerson(context, { userId, ...person, askedAt });
    } catch (error) {
      if (!isRefused(error)) throw error;
      const ended = await endVoidSignIn(context, { userId, mark: question.grant?.mark ?? null });
      logger.warn(
        { reason: error.message, subject, ended },
        'the issuer has withdrawn the grant of a sign-in',
      );
    }
  };

  const start = (question: Question): Promise<void> => {
    const work = refresh(question)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
        logger.warn({ reason, subject: question.subject }, 'memberships could not be refreshed');
      })
      .finally(() => flights.delete(question.userId));
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, REQUEST_WAIT_MS);
    });
    return Promise.race([work, patience]).finally(() => clearTimeout(timer));
  };

  const isDue = (state: UpstreamState) => isMembershipRefreshDue(state, clock.now());

  return {
    async before({ userId, upstream: state }, address) {
      if (!state) return false;
      const flight = flights.get(userId);
      if (!flight && !isDue(state)) return false;
      const waiting =
        flight ?? start({ userId, subject: state.subject, issuer: state.issuer, address, grant: null });
      if (!flight) flights.set(userId, waiting);
      await waiting;
      return true;
    },
  };
}
