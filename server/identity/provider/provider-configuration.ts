import { type Configuration, type Interaction, interactionPolicy } from 'oidc-provider';
import type { App } from '../../context.ts';
import type { ErrorCode } from '../../error-codes.ts';
import { cookieName } from '../../http/requests/cookies.ts';
import { isDatabaseFull } from '../../logging/log-outage.ts';
import { isOutage } from '../../outage.ts';
import { INTERACTION_SECONDS, rememberInteraction } from './begun-interactions.ts';
import { createClientAdapter } from './client-adapter.ts';
import { findProviderAccount } from './find-provider-account.ts';
import type { IdentityKeys } from './identity-keys.ts';
import { loadGrant } from './load-grant.ts';
import { createProviderAdapter } from './provider-adapter.ts';
import { CONSOLE_CLIENT_ID, consoleClient, isConsole, OTHERS_SCOPE } from './provider-clients.ts';
import type { WaitingInteractions } from './waiting-interactions.ts';

export const IDENTITY_PATH = '/identity';
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What each scope tells a client about a person. */
const CLAIMS: Configuration['claims'] = {
  openid: ['sub', 'session_uid'],
  profile: ['name', 'preferred_username', 'picture', 'updated_at'],
  email: ['email', 'email_verified'],
  groups: ['groups'],
};

const off = { enabled: false };
const FEATURES: Configuration['features'] = {
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
};

/** Seconds. */
const LIFETIMES: Configuration['ttl'] = {
  AccessToken: (_, token) => (isConsole(token.clientId) ? 5 * MINUTE : HOUR),
  AuthorizationCode: MINUTE,
  IdToken: 5 * MINUTE,
  Interaction: INTERACTION_SECONDS,
  RefreshToken: 30 * DAY,
  Session: 12 * HOUR,
  Grant: (_, grant) => (isConsole(grant.clientId) ? 12 * HOUR : 90 * DAY),
};

/** Returns how the provider of this installation's own accounts works: its clients, tokens, cookies and pages. */
export function configureProvider(
  app: App,
  keys: IdentityKeys,
  clientSecret: string,
  waiting: WaitingInteractions,
): Configuration {
  const { config } = app;
  return {
    adapter(model) {
      if (model === 'Client') return createClientAdapter(app);
      return model === 'Interaction' ? waiting.adapter : createProviderAdapter(app, model);
    },
    jwks: keys.jwks,
    clients: [consoleClient(config, clientSecret)],
    scopes: OTHERS_SCOPE.split(' '),
    claims: CLAIMS,
    // Another installation requests a registration only from a provider that announces support for it.
    discovery: { prompt_values_supported: ['none', 'login', 'create'] },
    responseTypes: ['code'],
    // The ID token contains the whole profile, so that a sign-in needs only one request to us.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    clientAuthMethods: ['client_secret_basic'],
    cookies: cookiesOf(config.publicUrl, keys),
    features: FEATURES,
    // Another installation keeps reading memberships while its person works there: longer than this browser's
    // session here, and until its own sessions end at the latest. What ends earlier is deleted
    // (end-account-sessions.ts).
    expiresWithSession: (_, token) => isConsole(token.clientId),
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    ttl: LIFETIMES,
    interactions: {
      policy: interactionPolicyOf(),
      url: ({ req, res }, interaction) => {
        rememberInteraction(app, { request: req, response: res }, interaction.uid);
        return interactionUrl(interaction);
      },
    },
    findAccount: (_, subject, token) => findProviderAccount(app, subject, token),
    loadExistingGrant: ({ oidc }) => loadGrant(oidc),
    renderError: (ctx, _, error) => {
      ctx.status = 303;
      ctx.redirect(`${config.publicUrl}/login?error=${signInErrorOf(error)}`);
    },
  };
}

function cookiesOf(publicUrl: string, keys: IdentityKeys): Configuration['cookies'] {
  const isSecure = publicUrl.startsWith('https:');
  return {
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
  };
}

/** People are not asked for consent, and a client may request a registration. */
function interactionPolicyOf(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.remove('consent');
  policy.add(new interactionPolicy.Prompt({ name: 'create', requestable: true }), 0);
  return policy;
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

function signInErrorOf(error: Error): ErrorCode {
  if (error.name === 'SessionNotFound') return 'sign_in_expired';
  return isOutage(error) || isDatabaseFull(error) ? 'sign_in_unavailable' : 'sign_in_refused';
}
