import type { App } from '../context.ts';
import type { IdentityService } from '../identity/create-identity-service.ts';
import { createOidcClient, type OidcClient } from './oidc-client.ts';
import { createUpstream, type Upstream } from './upstream/create-upstream.ts';
import { createMembershipRefresh, type MembershipRefresh } from './upstream/membership-refresh.ts';

/** How people sign in, and where their memberships are kept. */
export interface SignIn {
  client: OidcClient;
  /** Null, like {@link memberships}, when people sign in with this installation's own accounts. */
  upstream: Upstream | null;
  memberships: MembershipRefresh | null;
}

/** Returns the sign-in of the configured issuer, otherwise of the embedded identity service. */
export function createSignIn(app: App, identity: IdentityService | null): SignIn {
  const client = createOidcClient(app, identity);
  if (!app.config.oidc) return { client, upstream: null, memberships: null };
  const upstream = createUpstream(app, client);
  return { client, upstream, memberships: createMembershipRefresh(app, client, upstream) };
}
