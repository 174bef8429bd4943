import type { IncomingMessage, ServerResponse } from 'node:http';
import { requireJson, requireSameOrigin } from '../auth/require-same-origin.ts';
import { createSessions } from '../auth/sessions.ts';
import { clientAddress, requestIdOf } from '../console/client-address.ts';
import type { App, RequestContext } from '../context.ts';
import { AppError, toAppError } from '../errors.ts';
import { toProblemResponse } from '../rest/problem.ts';
import { getAccount } from '../services/identity/get-account.ts';
import { updateAccountInput } from '../services/identity/schema.ts';
import { updateAccount } from '../services/identity/update-account.ts';
import { CONSOLE_CLIENT_ID, createProvider, IDENTITY_PATH } from './create-provider.ts';
import { loadIdentityKeys } from './identity-keys.ts';
import { createInProcessFetch, type InProcessFetch } from './in-process-fetch.ts';
import { createInteractionEndpoints } from './interaction-endpoints.ts';
import { readJsonBody, writeResponse } from './node-http.ts';

/** The embedded OpenID provider with its accounts, for installations without an issuer of their own. */
export interface IdentityService {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Answers a request below `/identity`; false when it is not ours: another path, or one of the console's pages there. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Reaches the provider without a network, for the console's own OpenID client. */
  fetch: InProcessFetch;
}

const INTERACTION_PATH = /^\/interaction\/([\w-]{1,64})\/(details|sign-in|register)$/;
/** Pages of the console that live below `/identity`. */
const PAGE_PATH = /^\/(interaction\/[^/]+|register|profile)\/?$/;
/** What the provider answers; everything else below `/identity` does not exist. */
const PROVIDER_PATH =
  /^\/(auth(\/[\w-]{1,64})?|token|me|jwks|\.well-known\/(openid-configuration|oauth-authorization-server))$/;

/** Returns the embedded identity service, with its keys loaded or made. */
export async function createIdentityService(app: App): Promise<IdentityService> {
  const { config, logger, sealer } = app;
  const clientSecret = sealer.deriveKey('identity-client-secret').toString('base64url');
  const provider = createProvider(app, await loadIdentityKeys(app), clientSecret);
  const callProvider = provider.callback();
  const interactions = createInteractionEndpoints(provider);
  const sessions = createSessions(app);
  const { host, protocol } = new URL(config.publicUrl);

  /** Hands a request to the provider as if it had been asked at PUBLIC_URL, whatever name or proxy it came through. */
  const runProvider = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '' } = request;
    presentAsPublic(request);
    Object.assign(request, { originalUrl: url });
    request.url = url.slice(IDENTITY_PATH.length) || '/';
    await callProvider(request, response);
  };
  const presentAsPublic = (request: IncomingMessage) => {
    delete request.headers['x-forwarded-host'];
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    request.headers.host = host;
  };

  const contextOf = async (request: IncomingMessage, withPerson: boolean): Promise<RequestContext> => ({
    app,
    actor: (withPerson ? await sessions.validate(request.headers.cookie ?? null) : null) ?? {
      kind: 'anonymous',
    },
    requestId: requestIdOf(request, config.trustProxy),
    address: clientAddress(request, config.trustProxy),
  });

  /** Returns the answer of one of the pages' JSON addresses, or null when the path is none of them. */
  const answerJson = async (
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Response | null> => {
    const method = request.method ?? 'GET';
    const [, uid = '', step = ''] = INTERACTION_PATH.exec(path) ?? [];
    const expected = step ? (step === 'details' ? 'GET' : 'POST') : path === '/profile' ? 'PUT' : 'GET';
    if (step === '' && path !== '/profile' && path !== '/profile/data') return null;
    if (method !== expected) throw new AppError('method_not_allowed');
    const headers = new Headers({ 'content-type': request.headers['content-type'] ?? '' });
    for (const name of ['origin', 'sec-fetch-site'] as const) {
      const value = request.headers[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    requireSameOrigin(method, headers, config.publicUrl);
    if (method !== 'GET') requireJson(headers);
    const body = method === 'GET' ? undefined : await readJsonBody(request);
    const context = await contextOf(request, step === '');
    if (path === '/profile/data') return Response.json(await getAccount(context));
    if (path === '/profile')
      return Response.json(await updateAccount(context, updateAccountInput.parse(body)));
    presentAsPublic(request);
    switch (step) {
      case 'details':
        return Response.json(await interactions.details(request, response, uid));
      case 'sign-in':
        return Response.json(await interactions.signIn(context, request, response, uid, body));
      default:
        return Response.json(await interactions.register(context, request, response, uid, body));
    }
  };

  return {
    issuer: provider.issuer,
    clientId: CONSOLE_CLIENT_ID,
    clientSecret,
    fetch: createInProcessFetch((request, response) => void runProvider(request, response)),

    async handle(request, response) {
      const pathname = (request.url ?? '').split('?', 1)[0] ?? '';
      if (pathname !== IDENTITY_PATH && !pathname.startsWith(`${IDENTITY_PATH}/`)) return false;
      const path = pathname.slice(IDENTITY_PATH.length);
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (isRead && PAGE_PATH.test(path)) return false;
      if (PROVIDER_PATH.test(path)) {
        await runProvider(request, response);
        return true;
      }
      const requestId = requestIdOf(request, config.trustProxy);
      try {
        const answer = await answerJson(path, request, response);
        if (!answer) throw new AppError('not_found');
        answer.headers.set('cache-control', 'no-store');
        await writeResponse(response, answer);
      } catch (error) {
        const appError = toAppError(error);
        if (appError.code === 'internal')
          logger.error({ err: error, path: pathname, request_id: requestId }, 'request failed');
        await writeResponse(response, toProblemResponse(appError, config.publicUrl, requestId));
      }
      return true;
    },
  };
}
