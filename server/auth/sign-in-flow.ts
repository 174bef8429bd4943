import { createHash } from 'node:crypto';
import type { App } from '../context.ts';
import { cookieName, parseCookies, serializeCookie } from '../http/requests/cookies.ts';

/** How long a sign-in may take, including registration. */
const FLOW_SECONDS = 3600;
/** Sign-ins started in several tabs; with more, the browser's cookies would outgrow a request's headers. */
const FLOWS_MAX = 4;
const PREFIX = 'sign-in-';

/** What must come back to the browser that started a sign-in. */
export interface SignInFlow {
  state: string;
  nonce: string;
  codeVerifier: string;
  returnTo: string;
}

/**
 * Keeps pending sign-ins in sealed cookies: bound to the browser, deleted after one use, expired after an
 * hour.
 */
export interface SignInFlows {
  /** Returns the Set-Cookie values that start a flow. */
  begin(flow: SignInFlow, cookieHeader: string | null): string[];
  /** Returns the flow that this browser started with a state, or null. */
  find(state: string | null, cookieHeader: string | null): SignInFlow | null;
  /** Returns the Set-Cookie value that ends a flow. */
  end(state: string): string;
}

export function createSignInFlows({ sealer, clock, config }: App): SignInFlows {
  const isSecure = config.publicUrl.startsWith('https:');
  const prefix = cookieName(PREFIX, isSecure);
  const nameOf = (state: string) =>
    `${prefix}${createHash('sha256').update(state).digest('hex').slice(0, 12)}`;
  const remove = (name: string) => serializeCookie(name, '', { isSecure, maxAgeSeconds: 0 });

  return {
    begin(flow, cookieHeader) {
      const name = nameOf(flow.state);
      const sealed = sealer.seal(JSON.stringify({ ...flow, begunAt: clock.now() }), name);
      const older = [...parseCookies(cookieHeader).keys()].filter((other) => other.startsWith(prefix));
      const removed = older.length >= FLOWS_MAX ? older.map(remove) : [];
      return [...removed, serializeCookie(name, sealed, { isSecure, maxAgeSeconds: FLOW_SECONDS })];
    },

    find(state, cookieHeader) {
      if (!state) return null;
      const name = nameOf(state);
      const sealed = parseCookies(cookieHeader).get(name);
      if (!sealed) return null;
      try {
        const { begunAt, ...flow }: SignInFlow & { begunAt: number } = JSON.parse(sealer.open(sealed, name));
        const isCurrent = clock.now() - begunAt < FLOW_SECONDS * 1000;
        return isCurrent && flow.state === state ? flow : null;
      } catch {
        // Sealed by another installation, or altered: to us it does not exist.
        return null;
      }
    },

    end: (state) => remove(nameOf(state)),
  };
}
