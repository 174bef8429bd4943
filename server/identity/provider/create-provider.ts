import { Provider } from 'oidc-provider';
import type { App } from '../../context.ts';
import { retryAfterOf, toAppError } from '../../errors.ts';
import { FULL_MESSAGE, isDatabaseFull, logOutage } from '../../logging/log-outage.ts';
import { isOutage } from '../../outage.ts';
import type { IdentityKeys } from './identity-keys.ts';
import { configureProvider, IDENTITY_PATH } from './provider-configuration.ts';
import type { WaitingInteractions } from './waiting-interactions.ts';

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
  const configuration = configureProvider(app, keys, clientSecret, waiting);
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
