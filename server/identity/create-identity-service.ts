import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../context.ts';
import type { Interaction } from '../services/identity/schema.ts';
import { createIdentityAnswers } from './answer-identity.ts';
import { describeInteraction } from './endpoints/interaction-endpoints.ts';
import { createInProcessFetch, type InProcessFetch } from './in-process-fetch.ts';
import { presentAsPublic } from './present-as-public.ts';
import { createProvider } from './provider/create-provider.ts';
import { loadIdentityKeys } from './provider/identity-keys.ts';
import { CONSOLE_CLIENT_ID } from './provider/provider-clients.ts';
import { IDENTITY_PATH } from './provider/provider-configuration.ts';
import { createWaitingInteractions } from './provider/waiting-interactions.ts';

/** The embedded OpenID provider with its accounts, for installations without an external issuer. */
export interface IdentityService {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /**
   * Answers a request below `/identity`; false when it is not ours: another path, one of the console's pages
   * there, or one that is nowhere.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /**
   * Returns the interaction that its page shows to the browser of the request.
   * @throws sign_in_expired when that browser did not start it, or it has ended
   */
  describeInteraction(request: IncomingMessage, response: ServerResponse, uid: string): Promise<Interaction>;
  /** Reaches the provider without a network, for the console's own OpenID client. */
  fetch: InProcessFetch;
}

/** Returns the embedded identity service, with its keys loaded or created. */
export async function createIdentityService(app: App): Promise<IdentityService> {
  const { config, sealer } = app;
  const clientSecret = sealer.deriveKey('identity-client-secret').toString('base64url');
  const waiting = createWaitingInteractions(app);
  const provider = createProvider(app, await loadIdentityKeys(app), clientSecret, waiting);
  const callProvider = provider.callback();

  /**
   * Passes a request to the provider as if it had been made to PUBLIC_URL, whatever name or proxy it came
   * through.
   */
  const runProvider = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '' } = request;
    presentAsPublic(request, config.publicUrl);
    Object.assign(request, { originalUrl: url });
    request.url = url.slice(IDENTITY_PATH.length) || '/';
    await callProvider(request, response);
  };

  return {
    issuer: provider.issuer,
    clientId: CONSOLE_CLIENT_ID,
    clientSecret,
    handle: createIdentityAnswers(app, { provider, waiting, runProvider }),
    fetch: createInProcessFetch((request, response) => void runProvider(request, response)),

    async describeInteraction(request, response, uid) {
      presentAsPublic(request, config.publicUrl);
      return describeInteraction(app, provider, { request, response, uid });
    },
  };
}
