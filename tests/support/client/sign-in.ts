import { randomBytes } from 'node:crypto';
import { BrowserClient } from './browser-client.ts';

export interface NewAccount {
  full_name: string;
  login: string;
  email: string;
  password: string;
}

export interface SignedInBrowser {
  browser: BrowserClient;
  account: NewAccount;
  /** A whole Cookie header of the session, e.g. `session=…`. */
  cookie: string;
  /** Where the sign-in led. */
  landedAt: string;
}

let nextPerson = 1;

/** Returns the form values of a new person, unique among all. */
export function newAccount(overrides: Partial<NewAccount> = {}): NewAccount {
  const mark = [Date.now(), process.pid, nextPerson++].map((part) => part.toString(36)).join('');
  return {
    full_name: 'Ada Lovelace',
    login: `ada-${mark}`,
    email: `ada-${mark}@example.ca`,
    password: 'correct horse battery staple',
    ...overrides,
  };
}

/** An address of a private network: no two persons share the limits of one. */
const randomAddress = (): string => `10.${[...randomBytes(3)].join('.')}`;

/** Goes to the sign-in or registration page and returns the uid of the browser's interaction. */
export async function openInteraction(browser: BrowserClient, query = ''): Promise<string> {
  const isPage = (url: URL) => /^\/identity\/interaction\/[^/]+$/.test(url.pathname);
  const { url } = await browser.navigate(`/auth/login${query}`, (next) => !isPage(next));
  if (!isPage(url)) throw new Error(`no interaction, but ${url.pathname}${url.search}`);
  return url.pathname.split('/').at(-1) ?? '';
}

/** Pages of an organization, where a sign-in ends. */
const ORGANIZATION_PAGE = /^\/[0-9a-z]{26}(\/|$)/;

/**
 * Follows the address in a page's JSON response, through the callback, to the console. The page of an organization that
 * it leads to is not loaded: to render it takes as long as all the rest.
 */
export async function finishInteraction(browser: BrowserClient, answer: Response): Promise<URL> {
  if (!answer.ok) throw new Error(`HTTP ${answer.status}: ${await answer.text()}`);
  const { redirect_to } = (await answer.json()) as { redirect_to: string };
  const { url, response } = await browser.navigate(
    redirect_to,
    (next) => !ORGANIZATION_PAGE.test(next.pathname),
  );
  await response.body?.cancel();
  return url;
}

/** Registers a new person over HTTP, like a browser, and returns the browser signed in. */
export async function registerAndSignIn(
  baseUrl: string,
  overrides: Partial<NewAccount> = {},
): Promise<SignedInBrowser> {
  const browser = new BrowserClient(baseUrl, { from: randomAddress() });
  const account = newAccount(overrides);
  const uid = await openInteraction(browser, '?register=1');
  const response = await browser.sendJson('POST', `/identity/interaction/${uid}/register`, account);
  const landed = await finishInteraction(browser, response);
  const landedAt = `${landed.pathname}${landed.search}`;
  const cookie = sessionCookieOf(browser);
  if (cookie === '') throw new Error(`the registration ended without a session at ${landedAt}`);
  return { browser, account, cookie, landedAt };
}

/**
 * Returns the organization that a sign-in led to: its dashboard or, before its billing is set up, onboarding
 * with the return path.
 */
export function homeOf({ landedAt }: Pick<SignedInBrowser, 'landedAt'>): string {
  return /[0-9a-z]{26}/.exec(landedAt)?.[0] ?? '';
}

/** Returns the path and the query where the server's redirects from a path lead a person. The page there is not loaded. */
export async function destinationFor(
  { cookie }: Pick<SignedInBrowser, 'cookie'>,
  baseUrl: string,
  path: string,
): Promise<string> {
  for (let [reached, hops] = [path, 0]; hops < 12; hops += 1) {
    const response = await fetch(new URL(reached, baseUrl), { headers: { cookie }, redirect: 'manual' });
    const location = response.headers.get('location');
    await response.body?.cancel();
    if (location === null) return reached;
    const { pathname, search } = new URL(location, baseUrl);
    reached = `${pathname}${search}`;
  }
  throw new Error(`too many redirects from ${path}`);
}

/** Signs an existing person in over HTTP. */
export async function signIn(
  browser: BrowserClient,
  { email, password }: Pick<NewAccount, 'email' | 'password'>,
  query = '',
): Promise<URL> {
  const uid = await openInteraction(browser, query);
  const response = await browser.sendJson('POST', `/identity/interaction/${uid}/sign-in`, {
    email,
    password,
  });
  return finishInteraction(browser, response);
}

/** The session's Cookie header of a browser, or an empty text when not signed in. */
export function sessionCookieOf(browser: BrowserClient): string {
  return browser
    .cookieHeader('/')
    .split('; ')
    .filter((pair) => /^(__Host-)?session=/.test(pair))
    .join('; ');
}
