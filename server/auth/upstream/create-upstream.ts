import type { App } from '../../context.ts';
import type { SignInGrant } from '../../services/identity/sign-in/sign-in-grants.ts';
import type { SignedInIdentity, UpstreamSignIn } from '../../services/identity/sign-in/sign-in-user.ts';
import { type Claims, type Exchange, type OidcClient, partialProfileOf } from '../oidc-client.ts';
import { createCodeHost } from './code-host.ts';
import { organizationsOfGroups } from './groups.ts';
import { isRefused, UpstreamError } from './upstream-error.ts';
import type { UpstreamPerson } from './upstream-person.ts';

/** How long a sign-in waits for the organizations. */
const SIGN_IN_WAIT_MS = 10_000;

/** What is needed to read memberships later. */
export interface ReadingGrant extends SignInGrant {
  /** Claims of an ID token that just arrived with these tokens. */
  freshIdToken: Claims | null;
}

/** What an external issuer says about people: read at the sign-in, and later with what was granted there. */
export interface Upstream {
  /**
   * Returns the profile and the organizations at a sign-in; organizations are null when they could not be
   * read.
   * @throws UpstreamError `refused` when the issuer refuses the tokens it has just issued
   */
  atSignIn(exchange: Exchange): Promise<{ identity: SignedInIdentity; upstream: UpstreamSignIn }>;
  /** Whether the tokens must be renewed before {@link read} can learn anything. */
  needsFreshTokens(grant: SignInGrant): boolean;
  /**
   * Whether a person without a working grant has to sign in again: always when the grant is the only source.
   */
  isGrantRequired: boolean;
  /**
   * Returns the person as the issuer currently describes them, or null when the issuer does so only at a
   * sign-in.
   * @throws UpstreamError
   */
  read(grant: ReadingGrant, subject: string, signal: AbortSignal): Promise<UpstreamPerson | null>;
}

/**
 * Returns the reader of memberships at the configured issuer: from its code host's API, otherwise from the
 * `groups` claim.
 */
export function createUpstream(app: App, client: OidcClient): Upstream {
  return app.config.codeHostUrl === null
    ? createGroupsUpstream(app, client)
    : createCodeHostUpstream(app, app.config.codeHostUrl);
}

function createCodeHostUpstream({ logger, outgoing }: App, codeHostUrl: string): Upstream {
  const codeHost = outgoing.outsideTransactions('code_host', createCodeHost(codeHostUrl, outgoing));
  const readFor = async (accessToken: string, subject: string, signal: AbortSignal) => {
    const { id, profile, organizations, isTruncated } = await codeHost.read(accessToken, signal);
    // A code host other than the issuer's would grant one person the rights of another with the same number.
    if (id !== subject)
      throw new UpstreamError('outage', 'the code host and the issuer name different people');
    if (isTruncated) logger.warn({ subject }, 'the person has more organizations than are synchronized');
    return { profile, organizations };
  };
  return {
    isGrantRequired: true,
    needsFreshTokens: () => false,
    read: ({ accessToken }, subject, signal) => readFor(accessToken, subject, signal),
    async atSignIn({ identity, tokens, userInfo }) {
      const claims = { ...tokens.idToken, ...userInfo };
      const grant: SignInGrant = { ...tokens, groupsSource: null };
      try {
        const signal = AbortSignal.timeout(SIGN_IN_WAIT_MS);
        const { profile, organizations } = await readFor(tokens.accessToken, identity.subject, signal);
        const known = { ...identity, ...profile };
        const isEmailProven = provesEmail(claims, known.email);
        return { identity: known, upstream: { organizations, grant, isEmailProven } };
      } catch (error) {
        if (isRefused(error)) throw error;
        logger.warn({ reason: reasonOf(error) }, 'organizations could not be read at a sign-in');
        const isEmailProven = provesEmail(claims, identity.email);
        return { identity, upstream: { organizations: null, grant, isEmailProven } };
      }
    },
  };
}

function createGroupsUpstream({ config, logger }: App, client: OidcClient): Upstream {
  const toOrganizations = (claims: Claims) => organizationsOfGroups(claims.groups, config.oidcGroups);
  return {
    isGrantRequired: false,
    needsFreshTokens: ({ groupsSource }) => groupsSource === 'id_token',

    async atSignIn({ identity, tokens, userInfo }) {
      const { idToken } = tokens;
      const isEmailProven = provesEmail({ ...idToken, ...userInfo }, identity.email);
      const to = (claims: Claims, groupsSource: SignInGrant['groupsSource']) => ({
        identity,
        upstream: {
          organizations: toOrganizations(claims),
          grant: { ...tokens, groupsSource },
          isEmailProven,
        },
      });
      if (idToken && 'groups' in idToken) return to(idToken, 'id_token');
      try {
        const claims = userInfo ?? (await client.userInfo(tokens.accessToken, identity.subject)) ?? {};
        return to(claims, 'groups' in claims ? 'userinfo' : null);
      } catch (error) {
        logger.warn({ reason: reasonOf(error) }, 'groups could not be read at a sign-in');
        const grant = { ...tokens, groupsSource: null };
        return { identity, upstream: { organizations: null, grant, isEmailProven } };
      }
    },

    async read({ accessToken, groupsSource, freshIdToken }, subject) {
      if (groupsSource === 'id_token') {
        if (!freshIdToken) return null;
        return { profile: partialProfileOf(freshIdToken), organizations: toOrganizations(freshIdToken) };
      }
      const userInfo = await client.userInfo(accessToken, subject);
      if (!userInfo) return null;
      const claims = { ...freshIdToken, ...userInfo };
      return { profile: partialProfileOf(claims), organizations: toOrganizations(claims) };
    },
  };
}

/** Whether the issuer says that exactly this address is the person's. */
function provesEmail(claims: Claims, email: string): boolean {
  return claims.email_verified === true && claims.email === email;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
