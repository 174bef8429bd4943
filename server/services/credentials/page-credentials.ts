import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { readTimeCursor, type TimePlace, toPage, toTimeCursor } from '../shared/pages.ts';
import { searchInBatches } from '../shared/search-in-batches.ts';
import { type CredentialRow, findScopes, selectCredentials, toCredential } from './queries.ts';
import { requireCredentialRight } from './require-credential-right.ts';
import { type Credential, pageCredentialsInput } from './schema.ts';
import { filterCredentials } from './search-rules.ts';

/**
 * Returns a page of the organization's credentials, newest first and without their secrets, those that
 * {@link filterCredentials} finds.
 */
export async function pageCredentials(
  context: OrganizationContext,
  input: z.input<typeof pageCredentialsInput>,
): Promise<{ items: Credential[]; next_cursor: string | null }> {
  requireCredentialRight(context, 'credential.read');
  const { cursor, limit, search } = pageCredentialsInput.parse(input);
  const { db } = context.app;
  const start = cursor === undefined ? undefined : readTimeCursor(cursor);
  const read = async (after: TimePlace | undefined, atOnce: number): Promise<Placed[]> => {
    let query = selectCredentials(db, context.organization.id).limit(atOnce);
    if (after !== undefined) {
      const { at, id } = after;
      query = query.where(({ eb, and, or }) =>
        or([eb('created_at', '<', at), and([eb('created_at', '=', at), eb('id', '<', id)])]),
      );
    }
    return describe(context, await query.execute());
  };
  const found =
    search === undefined
      ? await read(start, limit + 1)
      : await searchInBatches(context, {
          read: (after: Placed | undefined, atOnce) => read(after?.place ?? start, atOnce),
          // The names of what they reach belong to what is searched.
          filter: (rows) => filterPlaced(rows, search),
          count: limit + 1,
        });
  const { page, next_cursor } = toPage(found, limit, ({ place }) => toTimeCursor(place));
  return { items: page.map(({ credential }) => credential), next_cursor };
}

/** A credential, and its place in the list. */
interface Placed {
  credential: Credential;
  place: TimePlace;
}

async function describe({ app }: OrganizationContext, rows: readonly CredentialRow[]): Promise<Placed[]> {
  const scopes = await findScopes(
    app.db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    credential: toCredential(row, scopes.get(row.id) ?? []),
    place: { at: row.created_at, id: row.id },
  }));
}

function filterPlaced(rows: readonly Placed[], search: string): Placed[] {
  const credentials = rows.map(({ credential }) => credential);
  const found = new Set(filterCredentials(credentials, search));
  return rows.filter(({ credential }) => found.has(credential));
}
