import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import { redirectToError } from '../auth/redirects.ts';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { writeResponse } from '../http/bodies/node-http.ts';
import { answerFailure } from '../http/failures/failure-response.ts';
import { clientAddress, requestIdOf } from '../http/requests/client-address.ts';
import { headersOf } from '../http/requests/header-reader.ts';
import { pathnameOf } from '../http/requests/pathname-of.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import { addressKey } from '../limits/rate-limits.ts';
import { getDirectoryOrganization } from '../services/directory/get-directory-organization.ts';
import { CODE_HOST_API_PATH, createCodeHostApi } from './code-host-api.ts';
import { createJsonResponses } from './endpoints/answer-json.ts';
import { createInteractionEndpoints } from './endpoints/interaction-endpoints.ts';
import { MAIL_LINK_ENDPOINTS } from './endpoints/mail-link-endpoints.ts';
import { PASSKEY_ENDPOINTS } from './endpoints/passkey-endpoints.ts';
import { PROFILE_ENDPOINTS } from './endpoints/profile-endpoints.ts';
import { SECOND_FACTOR_ENDPOINTS } from './endpoints/second-factor-endpoints.ts';
import { isBegunHere } from './provider/begun-interactions.ts';
import { IDENTITY_PATH } from './provider/provider-configuration.ts';
import type { WaitingInteractions } from './provider/waiting-interactions.ts';

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

/** The provider, and what surrounds it. */
export interface ProviderParts {
  provider: Provider;
  waiting: WaitingInteractions;
  /** Lets the provider answer a request below `/identity`. */
  runProvider(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/**
 * Returns the function that answers a request below `/identity`; false when it is not ours: another path, one of
 * the console's pages there, or one that is nowhere.
 */
export function createIdentityAnswers(app: App, { provider, waiting, runProvider }: ProviderParts) {
  const { publicUrl, trustProxy } = app.config;
  const endpoints = [
    ...createInteractionEndpoints(app, provider),
    ...PROFILE_ENDPOINTS,
    ...MAIL_LINK_ENDPOINTS,
    ...SECOND_FACTOR_ENDPOINTS,
    ...PASSKEY_ENDPOINTS,
  ];
  const answerJson = createJsonResponses(app, endpoints, (path) => PAGE_PATH.test(path));
  const answerHostApi = createCodeHostApi(app, provider);

  /** @param path below `/identity` */
  const answer = async (
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    info: RequestInfo,
  ): Promise<void> => {
    if (AUTHORIZATION_PATH.test(path)) {
      await app.rateLimits.consume('sign_in_redirect_address', addressKey(info.address));
      if (!RESUME_PATH.test(path)) await waiting.admit(request, info.address);
    }
    if (PROVIDER_PATH.test(path)) {
      const uid = RESUME_PATH.exec(path)?.[1];
      if (uid === undefined || isBegunHere(app, request, uid)) return runProvider(request, response);
      return writeResponse(response, redirectToError(publicUrl, 'sign_in_expired'));
    }
    if (path.startsWith(`${CODE_HOST_API_PATH}/`)) {
      return writeResponse(response, await answerHostApi(path, request, info));
    }
    const handle = isRead(request) ? HANDLE_PATH.exec(path)?.[1] : undefined;
    const answered = handle
      ? await redirectToOrganization(app, handle)
      : await answerJson(path, request, response, info);
    answered.headers.set('cache-control', 'no-store');
    await writeResponse(response, answered);
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const pathname = pathnameOf(request);
    if (pathname !== IDENTITY_PATH && !pathname.startsWith(`${IDENTITY_PATH}/`)) return false;
    const path = pathname.slice(IDENTITY_PATH.length);
    if (isRead(request) && PAGE_PATH.test(path)) return false;
    // Read now: a request whose body is refused halfway no longer has a socket.
    const info = { requestId: requestIdOf(request, trustProxy), address: clientAddress(request, trustProxy) };
    try {
      await answer(path, request, response, info);
    } catch (error) {
      // A person who followed a wrong link sees the console's own page for that.
      const wantsPage = isRead(request) && (request.headers.accept ?? '').includes('text/html');
      if (wantsPage && error instanceof AppError && error.code === 'not_found') return false;
      const { method = '' } = request;
      const url = new URL(request.url ?? '', publicUrl);
      const failed = { method, url, headers: headersOf(request.headers) };
      await writeResponse(response, answerFailure(app, error, failed, info));
    }
    return true;
  };
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Redirects to the public page of an organization. @throws not_found */
async function redirectToOrganization(app: App, name: string): Promise<Response> {
  const { handle } = await getDirectoryOrganization(app, name);
  const location = `${app.config.publicUrl}${IDENTITY_PATH}/organizations/${handle}`;
  return new Response(null, { status: 302, headers: { location } });
}
