import { BrowserClient } from '../client/browser-client.ts';
import { type ConsoleServer, startConsoleServer } from '../server/console-server.ts';
import { type ExternalIssuer, type ExternalIssuerOptions, startExternalIssuer } from './external-issuer.ts';
import { FakeCodeHost } from './fake-code-host.ts';

export interface WithIssuer extends ConsoleServer {
  issuer: ExternalIssuer;
}

export interface WithCodeHost extends WithIssuer {
  host: FakeCodeHost;
  /** Signs a person of the host in, in a new browser. */
  signIn(login: string): Promise<BrowserClient>;
}

/** Starts a console that trusts an issuer started just before it: each knows the other's address. */
export async function startWithIssuer(
  options: ExternalIssuerOptions,
  environmentFor: (issuer: string) => Record<string, string> = () => ({}),
): Promise<WithIssuer> {
  const issuers: ExternalIssuer[] = [];
  const server = await startConsoleServer({
    environmentOf: async (baseUrl) => {
      const issuer = await startExternalIssuer(`${baseUrl}/auth/callback`, options);
      issuers.push(issuer);
      return {
        OIDC_ISSUER: issuer.issuer,
        OIDC_CLIENT_ID: issuer.clientId,
        OIDC_CLIENT_SECRET: issuer.clientSecret,
        ...environmentFor(issuer.issuer),
      };
    },
  });
  const [issuer] = issuers;
  if (!issuer) throw new Error('no issuer');
  return { ...server, issuer };
}

/**
 * Starts a console and a Forgejo-like code host at one address: sign-in with rotating refresh tokens, and
 * API.
 */
export async function startWithCodeHost(
  options: Omit<ExternalIssuerOptions, 'scopes' | 'answer'> = {},
): Promise<WithCodeHost> {
  const host = new FakeCodeHost();
  const server = await startWithIssuer(
    {
      refreshes: true,
      ...options,
      scopes: ['groups', 'read:user', 'read:organization'],
      answer: (request, response, url, subjectOf) =>
        host.answer(request, response, url, async (token) => {
          const subject = await subjectOf(token);
          const holder = [...host.people.values()].find(({ id }) => String(id) === subject);
          return holder?.login ?? null;
        }),
    },
    (issuer) => ({ CODE_HOST_URL: issuer }),
  );
  const signIn = async (login: string) => {
    const person = host.people.get(login);
    if (!person) throw new Error(`nobody is called ${login}`);
    const { id, full_name: name, email } = person;
    server.issuer.person = { sub: String(id), name, preferred_username: login, email };
    const browser = new BrowserClient(server.baseUrl);
    const { url } = await browser.navigate('/auth/login');
    if (url.search !== '') throw new Error(`not signed in: ${url.search}`);
    return browser;
  };
  return { ...server, host, signIn };
}
