import type { App } from '../context.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import type { OidcClient } from './oidc-client.ts';
import type { Sessions } from './sessions.ts';
import type { SignInFlows } from './sign-in-flow.ts';
import type { Upstream } from './upstream/create-upstream.ts';

/** Answers one address below `/auth`. */
export type AuthRoute = (request: Request, url: URL, info: RequestInfo) => Promise<Response>;

export interface AuthRoutesDeps {
  app: App;
  sessions: Sessions;
  client: OidcClient;
  /**
   * What an external issuer knows about people; null when people sign in with this installation's own
   * accounts.
   */
  upstream: Upstream | null;
}

/** What the routes share. */
export interface AuthRouteParts extends AuthRoutesDeps {
  /** Sign-ins that have begun and not come back yet. */
  flows: SignInFlows;
}
