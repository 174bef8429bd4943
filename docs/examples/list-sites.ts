/**
 * Lists organizations with their sites through tRPC. An internal tool can start from it:
 *
 *     PORTAGE_URL=… PORTAGE_OPERATOR_TOKEN=ptgop_… node docs/examples/list-sites.ts
 *     PORTAGE_URL=… PORTAGE_PUBLIC_KEY=… PORTAGE_SECRET_KEY=… PORTAGE_ORGANIZATION=… node docs/examples/list-sites.ts
 *
 * An operator token sees every organization; a credential the sites in its scopes, within its own.
 */
import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import type { AppRouter, RouterOutputs } from 'portage/trpc';
import superjson from 'superjson';

type Site = RouterOutputs['sites']['list']['items'][number];

const SITES_A_PAGE = 200;
const { PORTAGE_URL, PORTAGE_OPERATOR_TOKEN, PORTAGE_PUBLIC_KEY, PORTAGE_SECRET_KEY, PORTAGE_ORGANIZATION } =
  process.env;

const client = createTRPCClient<AppRouter>({
  links: [
    httpBatchLink({
      url: new URL('/api/trpc', PORTAGE_URL ?? 'http://localhost:3000'),
      transformer: superjson,
      maxItems: 50,
      headers: {
        authorization: `Bearer ${PORTAGE_OPERATOR_TOKEN ?? `${PORTAGE_PUBLIC_KEY}:${PORTAGE_SECRET_KEY}`}`,
      },
    }),
  ],
});

/** Returns the organizations that the token or the credential reaches, by id and name. */
async function listOrganizations(): Promise<{ id: string; name: string }[]> {
  if (PORTAGE_OPERATOR_TOKEN === undefined) {
    if (PORTAGE_ORGANIZATION === undefined) throw new Error('Set PORTAGE_ORGANIZATION to its id.');
    return [{ id: PORTAGE_ORGANIZATION, name: PORTAGE_ORGANIZATION }];
  }
  const found: { id: string; name: string }[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.operator.organizations.query({ cursor });
    found.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/** Returns every site of an organization, page by page. */
async function listSites(organizationId: string): Promise<Site[]> {
  const found: Site[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.sites.list.query({
      organization_id: organizationId,
      limit: SITES_A_PAGE,
      cursor,
    });
    found.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/** Says what went wrong: our code is stable, the request id finds the request in the server's log. */
function describe(error: unknown): string {
  if (!(error instanceof TRPCClientError)) return String(error);
  const { data, message } = error as TRPCClientError<AppRouter>;
  // Without data the server was not reached, or something between answered in its place.
  return data ? `${data.error.code}: ${data.error.message} (request ${data.error.request_id})` : message;
}

try {
  for (const { id, name } of await listOrganizations()) {
    process.stdout.write(`${name}\n`);
    for (const site of await listSites(id)) {
      process.stdout.write(
        `  ${site.name}  ${site.subdomain_url}  ${site.deployed_at ?? 'never deployed'}\n`,
      );
    }
  }
} catch (error) {
  process.stderr.write(`${describe(error)}\n`);
  process.exitCode = 1;
}
