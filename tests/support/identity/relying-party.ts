import { createHash, randomBytes } from 'node:crypto';
import type { App } from '#server/context.ts';
import { createIdentityClient } from '#server/services/identity/clients/create-identity-client.ts';
import { operatorContext } from '../app/operator-context.ts';
import type { BrowserClient } from '../client/browser-client.ts';

const EVERY_SCOPE = 'openid profile email groups read:user read:organization';

export interface Tokens {
  access_token: string;
  refresh_token: string;
  id_token: string;
  expires_in: number;
  scope: string;
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  /** The parsed response body; tests state what they expect of it. */
  body: unknown;
}

/**
 * Another program at the embedded identity service of a console: it signs people in and queries their data.
 */
export interface RelyingParty {
  clientId: string;
  clientSecret: string;
  /**
   * Sends a browser through the sign-in and returns the tokens; a browser that is already signed in is not
   * prompted again.
   */
  signIn(
    browser: BrowserClient,
    credentials?: { email: string; password: string },
    scope?: string,
  ): Promise<Tokens>;
  /** The token endpoint's response. */
  askToken(
    form: Record<string, string>,
    secret?: string,
  ): Promise<{ status: number; body: Partial<Tokens> & { error?: string } }>;
  /** Revokes a token. */
  revoke(token: string): Promise<void>;
  /** Calls the API with a token; `authorization` replaces the whole header. */
  ask(
    path: string,
    token: string | null,
    init?: RequestInit & { authorization?: string },
  ): Promise<ApiResponse>;
}

const REDIRECT_URI = 'http://127.0.0.1:9/callback';

/** Registers a program at a running console, like an operator. */
export async function createRelyingParty(
  app: App,
  baseUrl: string,
  name = 'Second console',
): Promise<RelyingParty> {
  const created = await createIdentityClient(operatorContext(app), { name, redirect_uris: [REDIRECT_URI] });
  const clientId = created.client.client_id;
  const clientSecret = created.client_secret;

  const basic = (secret: string) => `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;

  const askToken: RelyingParty['askToken'] = async (form, secret = clientSecret) => {
    const response = await fetch(`${baseUrl}/identity/token`, {
      method: 'POST',
      headers: { authorization: basic(secret) },
      body: new URLSearchParams(form),
    });
    return { status: response.status, body: await response.json() };
  };

  return {
    clientId,
    clientSecret,
    askToken,

    async revoke(token) {
      const response = await fetch(`${baseUrl}/identity/token/revocation`, {
        method: 'POST',
        headers: { authorization: basic(clientSecret) },
        body: new URLSearchParams({ token }),
      });
      if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    },

    async signIn(browser, credentials, scope = EVERY_SCOPE) {
      const verifier = randomBytes(32).toString('base64url');
      const state = randomBytes(8).toString('hex');
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
        scope,
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      const isInside = (url: URL) => url.href.startsWith(`${baseUrl}/identity/auth`);
      let { url } = await browser.navigate(`/identity/auth?${query}`, isInside);
      if (url.pathname.startsWith('/identity/interaction/')) {
        if (!credentials) throw new Error('the browser is asked to sign in');
        const response = await browser.sendJson('POST', `${url.pathname}/sign-in`, credentials);
        if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
        const { redirect_to } = (await response.json()) as { redirect_to: string };
        ({ url } = await browser.navigate(redirect_to, isInside));
      }
      if (!url.href.startsWith(REDIRECT_URI)) throw new Error(`arrived at ${url.href}`);
      if (url.searchParams.get('state') !== state) throw new Error('the state did not come back');
      const code = url.searchParams.get('code') ?? '';
      const { status, body } = await askToken({
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT_URI,
        code_verifier: verifier,
      });
      if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`);
      return body as Tokens;
    },

    async ask(path, token, { authorization, ...init } = {}) {
      const header = authorization ?? (token === null ? null : `Bearer ${token}`);
      const headers = new Headers(init.headers);
      if (header !== null) headers.set('authorization', header);
      const response = await fetch(`${baseUrl}/identity/api/v1${path}`, {
        redirect: 'manual',
        ...init,
        headers,
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? null : JSON.parse(text),
      };
    },
  };
}

/** Returns the claims of an ID token, unverified. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}
