import type { IncomingMessage, ServerResponse } from 'node:http';
import { redirectToError } from '../auth/redirects.ts';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { writeResponse } from '../http/bodies/node-http.ts';
import { answerFailure } from '../http/failures/failure-response.ts';
import { clientAddress, requestIdOf } from '../http/requests/client-address.ts';
import { headersOf } from '../http/requests/header-reader.ts';
import { pathnameOf } from '../http/requests/pathname-of.ts';
import { addressKey } from '../limits/rate-limits.ts';
import { getDirectoryOrganization } from '../services/directory/get-directory-organization.ts';
import type { Interaction } from '../services/identity/schema.ts';
import { CODE_HOST_API_PATH, createCodeHostApi } from './code-host-api.ts';
import { createJsonResponses } from './endpoints/answer-json.ts';
import { createInteractionEndpoints, describeInteraction } from './endpoints/interaction-endpoints.ts';
import { MAIL_LINK_ENDPOINTS } from './endpoints/mail-link-endpoints.ts';
import { PASSKEY_ENDPOINTS } from './endpoints/passkey-endpoints.ts';
import { PROFILE_ENDPOINTS } from './endpoints/profile-endpoints.ts';
import { SECOND_FACTOR_ENDPOINTS } from './endpoints/second-factor-endpoints.ts';
import { createInProcessFetch, type InProcessFetch } from './in-process-fetch.ts';
import { presentAsPublic } from './present-as-public.ts';
import { isBegunHere } from './provider/begun-interactions.ts';
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

/** Pages of the console that live below `/identity`. */
const PAGE_PATH =
  /^\/((interaction|organizations|invitations|reset-password|verify-email)\/[^/]+|register|profile|forgot-password)\/?$/;
/** What the provider answers; everything else below `/identity` does not exist. */
const PROVIDER_PATH =
  /^\/(auth(\/[\w-]{1,64})?|session\/end\/confirm|token(\/revocation)?|me|jwks|\.well-known\/(openid-configuration|oauth-authorization-server))$/;
/** `{CODE_HOST_URL}/{handle}` of another installation. */
const HANDLE_PATH = /^\/([a-z0-9-]{1,100})\/?$/i;
/** Where the provider goes on with an interaction. */
const RESUME_PATH = /^\/auth\/([\w-]+)$/;
/** Where a sign-in begins and goes on; a request without authentication leaves a row behind. */
const AUTHORIZATION_PATH = /^\/auth(\/|$)/;

/** Returns the embedded identity service, with its keys loaded or created. */
export async function createIdentityService(app: App): Promise<IdentityService> {
  const { config, sealer } = app;
  const clientSecret = sealer.deriveKey('identity-client-secret').toString('base64url');
  const waiting = createWaitingInteractions(app);
  const provider = createProvider(app, await loadIdentityKeys(app), clientSecret, waiting);
  const callProvider = provider.callback();
  const endpoints = [
    ...createInteractionEndpoints(app, provider),
    ...PROFILE_ENDPOINTS,
    ...MAIL_LINK_ENDPOINTS,
    ...SECOND_FACTOR_ENDPOINTS,
    ...PASSKEY_ENDPOINTS,
  ];
  const answerJson = createJsonResponses(app, endpoints, (path) => PAGE_PATH.test(path));
  const answerHostApi = createCodeHostApi(app, provider);

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

  /** Redirects to the public page of an organization. @throws not_found */
  const redirectToOrganization = async (name: string): Promise<Response> => {
    const { handle } = await getDirectoryOrganization(app, name);
    const location = `${config.publicUrl}${IDENTITY_PATH}/organizations/${handle}`;
    return new Response(null, { status: 302, headers: { location } });
  };

  return {
    issuer: provider.issuer,
    clientId: CONSOLE_CLIENT_ID,
    clientSecret,
    fetch: createInProcessFetch((request, response) => void runProvider(request, response)),

    async describeInteraction(request, response, uid) {
      presentAsPublic(request, config.publicUrl);
      return describeInteraction(app, provider, { request, response, uid });
    },

    async handle(request, response) {
      const pathname = pathnameOf(request);
      if (pathname !== IDENTITY_PATH && !pathname.startsWith(`${IDENTITY_PATH}/`)) return false;
      const path = pathname.slice(IDENTITY_PATH.length);
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (isRead && PAGE_PATH.test(path)) return false;
      const requestId = requestIdOf(request, config.trustProxy);
      // Read now: a request whose body is refused halfway no longer has a socket.
      const address = clientAddress(request, config.trustProxy);
      try {
        if (AUTHORIZATION_PATH.test(path)) {
          await app.rateLimits.consume('sign_in_redirect_address', addressKey(address));
          if (!RESUME_PATH.test(path)) await waiting.admit(request, address);
        }
        if (PROVIDER_PATH.test(path)) {
          const uid = RESUME_PATH.exec(path)?.[1];
          if (uid === undefined || isBegunHere(app, request, uid)) await runProvider(request, response);
          else await writeResponse(response, redirectToError(config.publicUrl, 'sign_in_expired'));
          return true;
        }
        if (path.startsWith(`${CODE_HOST_API_PATH}/`)) {
          await writeResponse(response, await answerHostApi(path, request, { requestId, address }));
          return true;
        }
        const handle = isRead ? HANDLE_PATH.exec(path)?.[1] : undefined;
        const answer = handle
          ? await redirectToOrganization(handle)
          : await answerJson(path, request, response, { requestId, address });
        answer.headers.set('cache-control', 'no-store');
        await writeResponse(response, answer);
      } catch (error) {
        // A person who followed a wrong link sees the console's own page for that.
        const wantsPage = isRead && (request.headers.accept ?? '').includes('text/html');
        if (wantsPage && error instanceof AppError && error.code === 'not_found') return false;
        const { method = '' } = request;
        const url = new URL(request.url ?? '', config.publicUrl);
        const failed = { method, url, headers: headersOf(request.headers) };
        await writeResponse(response, answerFailure(app, error, failed, { requestId, address }));
      }
      return true;
    },
  };
}
