import type { App, RequestContext } from '../../context.ts';
import { newId } from '../../ids.ts';
import { claimMembershipRefresh } from '../../services/identity/sign-in/claim-membership-refresh.ts';
import { endVoidSignIn } from '../../services/identity/sign-in/end-void-sign-in.ts';
import { followUpstreamPerson } from '../../services/identity/sign-in/follow-upstream-person.ts';
import { isMembershipRefreshDue } from '../../services/identity/sign-in/membership-rules.ts';
import { findSignInGrant } from '../../services/identity/sign-in/sign-in-grants.ts';
import type { OidcClient } from '../oidc-client.ts';
import type { SessionPerson, UpstreamState } from '../sessions.ts';
import type { Upstream } from './create-upstream.ts';
import { createGrantReader, type GrantQuestion } from './grant-reader.ts';
import { isRefused, UpstreamError } from './upstream-error.ts';

/**
 * How long a request waits; the refresh continues in the background and its result is used by the next
 * request.
 */
const REQUEST_WAIT_MS = 5_000;

export interface MembershipRefresh {
  /**
   * Updates the memberships of an external issuer's person when they are older than 15 minutes, waiting five
   * seconds at most. Returns whether it asked the issuer: then the session may have ended. Never throws.
   */
  before(person: SessionPerson, address: string): Promise<boolean>;
}

interface Question extends GrantQuestion {
  issuer: string;
  address: string;
}

/**
 * Creates the refresh that keeps memberships up to date while they are in use. One refresh per person runs at
 * a time, on one node.
 */
export function createMembershipRefresh(app: App, client: OidcClient, upstream: Upstream): MembershipRefresh {
  const { db, clock, logger } = app;
  const flights = new Map<string, Promise<void>>();
  const read = createGrantReader(app, client, upstream);

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
