import { beforeAll, describe, expect, it } from 'vitest';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import type { Language } from '#server/services/identity/rules.ts';
import { restClient } from '#tests/support/client/rest-client.ts';
import { registerAndSignIn } from '#tests/support/client/sign-in.ts';
import { type SeededRandom, seededRandom } from '#tests/support/seeded-random.ts';
import { insertNamedOrganization } from '#tests/support/server/server-database.ts';
import { shareServer } from '#tests/support/server/share-server.ts';
import type { RunningServer } from '#tests/support/server/test-server.ts';

const PEOPLE = 8;
const REQUESTS = 480;
const AT_ONCE = 48;

/** The title and the heading of each page in each language. */
const PAGES: Record<string, Record<Language, { title: string; heading: string }>> = {
  '/sites': {
    'en-CA': { title: 'Sites · Portage', heading: 'Sites' },
    'fr-CA': { title: 'Sites · Portage', heading: 'Sites' },
  },
  '/credentials': {
    'en-CA': { title: 'API credentials · Portage', heading: 'API credentials' },
    'fr-CA': { title: 'Identifiants d’API · Portage', heading: 'Identifiants d’API' },
  },
  '/settings': {
    'en-CA': { title: 'Settings · Portage', heading: 'Settings' },
    'fr-CA': { title: 'Paramètres · Portage', heading: 'Paramètres' },
  },
  '/no-such-page': {
    'en-CA': { title: 'Page not found · Portage', heading: 'Page not found' },
    'fr-CA': { title: 'Page introuvable · Portage', heading: 'Page introuvable' },
  },
};
const NAVIGATION: Record<Language, string> = {
  'en-CA': 'Main navigation',
  'fr-CA': 'Navigation principale',
};
const WELCOME: Record<Language, string> = {
  'en-CA': 'Welcome to Portage',
  'fr-CA': 'Bienvenue dans Portage',
};
const otherThan = (language: Language): Language => (language === 'en-CA' ? 'fr-CA' : 'en-CA');

interface Somebody {
  name: string;
  organizationId: string;
  organizationName: string;
  cookie: string;
  /** Saved with the account; null when the browser decides. */
  preference: Language | null;
}

let server: RunningServer;
let people: Somebody[];
beforeAll(async () => {
  server = shareServer();
  people = [];
  for (let index = 0; index < PEOPLE; index += 1) {
    const name = `Personne${index} Unique`;
    const { account, cookie } = await registerAndSignIn(server.consoleUrl, { full_name: name });
    const organizationName = `Organisation${index} Unique`;
    const organizationId = await insertNamedOrganization(server, {
      name: organizationName,
      members: { [account.email]: 'admin' },
    });
    const preference = ([null, 'en-CA', 'fr-CA'] as const)[index % 3] ?? null;
    if (preference) {
      const api = restClient(server.consoleUrl, { cookie, origin: server.consoleUrl });
      await api('PUT', '/api/v1/user/settings', { json: { language_preference: preference } });
    }
    people.push({ name, organizationId, organizationName, cookie, preference });
  }
});

interface Ask {
  somebody: Somebody | null;
  path: string;
  headers: Record<string, string>;
  /** The expected language of the page. */
  language: Language;
}

/** A request for a page: signed in or not, in a browser with some cookie and preferred language. */
function randomAsk(random: SeededRandom): Ask {
  const pick = <T>(choices: readonly T[]) => choices[random.below(choices.length)] as T;
  const somebody = random.next() < 0.15 ? null : pick(people);
  const cookie = pick(['en-CA', 'fr-CA', null] as const);
  const browser = pick(['en-CA', 'fr-CA'] as const);
  const language = somebody?.preference ?? cookie ?? browser;
  const cookies = [somebody?.cookie, cookie && `language=${cookie}`].filter(Boolean).join('; ');
  const path = somebody ? `/${somebody.organizationId}${pick(Object.keys(PAGES))}` : '/login';
  return { somebody, path, language, headers: { cookie: cookies, 'accept-language': browser } };
}

describe('hundreds of pages requested at once by people with different languages', () => {
  it('are each in the right language, and name no other person’s organization', async () => {
    const random = seededRandom(20260301);
    const asks = Array.from({ length: REQUESTS }, () => randomAsk(random));
    const faults: string[] = [];
    await mapConcurrently(asks, AT_ONCE, async (ask) => {
      const response = await fetch(`${server.consoleUrl}${ask.path}`, { headers: ask.headers });
      faults.push(...faultsOf(ask, await response.text()).map((fault) => `${describeAsk(ask)}: ${fault}`));
    });
    expect(faults).toEqual([]);
    expect(new Set(asks.map(({ language }) => language)).size).toBe(2);
  });
});

const describeAsk = ({ somebody, path, language }: Ask) =>
  `${somebody?.name ?? 'nobody'} asks for ${path} in ${language}`;

/** Returns the faults of a page. */
function faultsOf({ somebody, path, language }: Ask, html: string): string[] {
  const faults: string[] = [];
  const shouldHold = (text: string) => html.includes(text) || faults.push(`misses ${text}`);
  const shouldNotHold = (text: string) => html.includes(text) && faults.push(`holds ${text}`);
  const lang = /<html[^>]* lang="([^"]*)"/.exec(html)?.[1];
  if (lang !== language) faults.push(`is in ${lang}`);
  for (const other of people) {
    if (other === somebody) continue;
    shouldNotHold(other.organizationName);
    shouldNotHold(other.name);
  }
  if (somebody) {
    const page = PAGES[path.slice(path.lastIndexOf('/'))]?.[language];
    shouldHold(`<title>${page?.title}</title>`);
    shouldHold(`>${page?.heading}</h1>`);
    shouldHold(NAVIGATION[language]);
    shouldNotHold(NAVIGATION[otherThan(language)]);
    shouldHold(somebody.organizationName);
  } else {
    shouldHold(WELCOME[language]);
    shouldNotHold(WELCOME[otherThan(language)]);
  }
  return faults;
}
