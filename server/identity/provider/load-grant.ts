import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { DAY_MS } from '../../durations.ts';
import { CONSOLE_SCOPE, isConsole, OTHERS_SCOPE } from './provider-clients.ts';

/** Returns the grant of a browser's person to a client; clients are ours or allowed, so nobody is asked. */
export async function loadGrant({
  provider,
  session,
  client,
}: KoaContextWithOIDC['oidc']): Promise<Grant | undefined> {
  const accountId = session?.accountId;
  const clientId = client?.clientId;
  if (!accountId || !clientId) return undefined;
  const knownId = session.grantIdFor(clientId);
  const known = knownId ? await provider.Grant.find(knownId) : undefined;
  // What others are granted lasts from the sign-in: an older grant would end too early.
  const isNew = known && (isConsole(clientId) || Date.now() - known.iat * 1000 < DAY_MS);
  if (isNew && known.accountId === accountId) return known;
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(isConsole(clientId) ? CONSOLE_SCOPE : OTHERS_SCOPE);
  await grant.save();
  return grant;
}
