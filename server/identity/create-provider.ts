import {
  type Account,
  type ClientMetadata,
  type Configuration,
  type FindAccount,
  type Grant,
  type Interaction,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import type { Config } from '../config/config.ts';
import type { App } from '../context.ts';
import type { ErrorCode } from '../error-codes.ts';
import { retryAfterOf, toAppError } from '../errors.ts';
import { cookieName } from '../http/cookies.ts';
import { FULL_MESSAGE, isDatabaseFull, logOutage } from '../logging/log-outage.ts';
import { isOutage } from '../outage.ts';
import { listDirectoryGroups } from '../services/directory/list-directory-groups.ts';
import { findAccountBySubject } from '../services/identity/queries.ts';
import { INTERACTION_SECONDS, rememberInteraction } from './begun-interactions.ts';
import { createClientAdapter } from './client-adapter.ts';
import type { IdentityKeys } from './identity-keys.ts';
import { createProviderAdapter } from './provider-adapter.ts';
import type { WaitingInteractions } from './waiting-interactions.ts';

export const IDENTITY_PATH = '/identity';
export const CONSOLE_CLIENT_ID = 'console';
/** The scopes of the console. It reads its own database and needs nothing more. */
const CONSOLE_SCOPE = 'openid profile email';
/** The scopes of other programs: what Forgejo and Gitea offer, so that one adapter serves all three. */
const OTHERS_SCOPE = 'openid profile email groups read:user read:organization';
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Returns the OpenID provider for this installation's own accounts. Its clients are our console and the
 * programs that an operator allows, so people are not asked for consent; features that neither uses are off.
 * Sign-in and registration happen on the console's pages.
 */
export function createProvider(
  app: App,
  keys: IdentityKeys,
  clientSecret: string,
  waiting: WaitingInteractions,
): Provider {
  const { config, logger } = app;
  const isSecure = config.publicUrl.startsWith('https:');
  const off = { enabled: false };
  const policy = interactionPolicy.base();
  policy.remove('consent');
  policy.add(new interactionPolicy.Prompt({ name: 'create', requestable: true }), 0);

  const configuration: Configuration = {
    adapter(model) {
      if (model === 'Client') return createClientAdapter(app);
      return model === 'Interaction' ? waiting.adapter : createProviderAdapter(app, model);
    },
    jwks: keys.jwks,
    clients: [consoleClient(config, clientSecret)],
    scopes: OTHERS_SCOPE.split(' '),
    claims: {
      openid: ['sub', 'session_uid'],
      profile: ['name', 'preferred_username', 'picture', 'updated_at'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    // Another installation requests a registration only from a provider that announces support for it.
    discovery: { prompt_values_supported: ['none', 'login', 'create'] },
    responseTypes: ['code'],
    // The ID token contains the whole profile, so that a sign-in needs only one request to us.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    clientAuthMethods: ['client_secret_basic'],
    cookies: {
      keys: keys.cookie_keys,
      names: {
        session: cookieName('identity', isSecure),
        interaction: 'identity_interaction',
        resume: 'identity_resume',
      },
      // The prefix that binds it to this host requires the whole host as its path.
      long: {
        path: isSecure ? '/' : IDENTITY_PATH,
        httpOnly: true,
        sameSite: 'lax',
        secure: isSecure,
        signed: true,
      },
      short: { httpOnly: true, sameSite: 'lax', secure: isSecure, signed: true },
    },
    features: {
      devInteractions: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      resourceIndicators: off,
      revocation: {
        enabled: true,
        allowedPolicy: (_, client, token) => token.clientId === client.clientId,
      },
      rpInitiatedLogout: off,
      userinfo: { enabled: true },
    },
    // Another installation keeps reading memberships while its person works there: longer than this browser's
    // session here, and until its own sessions end at the latest. What ends earlier is deleted
    // (end-account-sessions.ts).
    expiresWithSession: (_, token) => isConsole(token.clientId),
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    ttl: {
      AccessToken: (_, token) => (isConsole(token.clientId) ? 5 * MINUTE : HOUR),
      AuthorizationCode: MINUTE,
      IdToken: 5 * MINUTE,
      Interaction: INTERACTION_SECONDS,
      RefreshToken: 30 * DAY,
      Session: 12 * HOUR,
      Grant: (_, grant) => (isConsole(grant.clientId) ? 12 * HOUR : 90 * DAY),
    },
    interactions: {
      policy,
      url: ({ req, res }, interaction) => {
        rememberInteraction(app, { request: req, response: res }, interaction.uid);
        return interactionUrl(interaction);
      },
    },
    findAccount: (_, subject, token) => findAccount(app, subject, token),
    loadExistingGrant: ({ oidc }) => loadGrant(provider, oidc),
    renderError: (ctx, _, error) => {
      ctx.status = 303;
      ctx.redirect(`${config.publicUrl}/login?error=${signInErrorOf(error)}`);
    },
  };
  const provider = new Provider(`${config.publicUrl}${IDENTITY_PATH}`, configuration);
  // Host and scheme are set by present-as-public.ts from PUBLIC_URL; the client's own forwarding
  // headers are removed there.
  provider.proxy = true;
  provider.on('server_error', (ctx, error) => {
    if (isOutage(error)) logOutage(logger, 'error', { err: error });
    else if (isDatabaseFull(error)) logOutage(logger, 'error', { err: error }, FULL_MESSAGE);
    else logger.error({ err: error }, 'identity provider failed');
    // Programs that request tokens are told to come back; browsers are on their way to the sign-in page,
    // which says so.
    const seconds = retryAfterOf(toAppError(error));
    if (seconds === null || ctx.status < 500) return;
    ctx.status = 503;
    ctx.set('retry-after', String(seconds));
  });
  return provider;
}

/** Our own console, as a client of the provider. */
function consoleClient({ publicUrl, productName }: Config, clientSecret: string): ClientMetadata {
  return {
    client_id: CONSOLE_CLIENT_ID,
    client_secret: clientSecret,
    client_name: productName,
    redirect_uris: [`${publicUrl}/auth/callback`],
    response_types: ['code'],
    grant_types: ['authorization_code'],
    scope: CONSOLE_SCOPE,
    token_endpoint_auth_method: 'client_secret_basic',
    id_token_signed_response_alg: 'ES256',
  };
}

/**
 * Returns the address of an interaction's page. It determines which form comes first and for whom, so that the page
 * is correct from its first paint: anything that arrives later would replace what someone has begun to type.
 */
function interactionUrl({ uid, prompt, params }: Pick<Interaction, 'uid' | 'prompt' | 'params'>): string {
  const search = new URLSearchParams(prompt.name === 'create' ? { register: 'true' } : {});
  if (typeof params.login_hint === 'string') search.set('login_hint', params.login_hint);
  // Our own console shares its language by cookie; another program can only request one.
  const isElsewhere = params.client_id !== CONSOLE_CLIENT_ID;
  if (isElsewhere && typeof params.ui_locales === 'string') search.set('ui_locales', params.ui_locales);
  return `${IDENTITY_PATH}/interaction/${uid}${search.size > 0 ? `?${search}` : ''}`;
}

/** Returns an account with its claims, or undefined for one that cannot sign in. */
async function findAccount(
  app: App,
  subject: string,
  token: Parameters<FindAccount>[2],
): Promise<Account | undefined> {
  const account = await findAccountBySubject(app.db, subject);
  if (!account || account.blocked_at !== null) return undefined;
  return {
    accountId: subject,
    claims: async (_use, scope) => ({
      sub: subject,
      name: account.full_name,
      preferred_username: account.login,
      picture: account.avatar_url ?? undefined,
      updated_at: Math.floor(account.updated_at / 1000),
      email: account.email,
      email_verified: account.email_verified_at !== null,
      groups: scope.split(' ').includes('groups') ? await listDirectoryGroups(app, subject) : undefined,
      // Identifies this browser's session here, so that the console can end it when its own ends.
      session_uid: token && isConsole(token.clientId) && 'sessionUid' in token ? token.sessionUid : undefined,
    }),
  };
}

/** Returns the grant of a browser's person to a client; clients are ours or allowed, so nobody is asked. */
async function loadGrant(
  provider: Provider,
  { session, client }: KoaContextWithOIDC['oidc'],
): Promise<Grant | undefined> {
  const accountId = session?.accountId;
  const clientId = client?.clientId;
  if (!accountId || !clientId) return undefined;
  const knownId = session.grantIdFor(clientId);
  const known = knownId ? await provider.Grant.find(knownId) : undefined;
  // What others are granted lasts from the sign-in: an older grant would end too early.
  const isNew = known && (isConsole(clientId) || Date.now() / 1000 - known.iat < DAY);
  if (isNew && known.accountId === accountId) return known;
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(isConsole(clientId) ? CONSOLE_SCOPE : OTHERS_SCOPE);
  await grant.save();
  return grant;
}

function signInErrorOf(error: Error): ErrorCode {
  if (error.name === 'SessionNotFound') return 'sign_in_expired';
  return isOutage(error) || isDatabaseFull(error) ? 'sign_in_unavailable' : 'sign_in_refused';
}

function isConsole(clientId: string | undefined): boolean {
  return clientId === CONSOLE_CLIENT_ID;
}
