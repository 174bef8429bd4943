import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { readTimeCursor, toPage, toTimeCursor } from '../shared/pages.ts';
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
  let query = selectCredentials(db, context.organization.id);
  if (cursor !== undefined) {
    const { at, id } = readTimeCursor(cursor);
    query = query.where(({ eb, and, or }) =>
      or([eb('created_at', '<', at), and([eb('created_at', '=', at), eb('id', '<', id)])]),
    );
  }
  // The names of what they reach belong to what is searched.
  const rows = await (search === undefined ? query.limit(limit + 1) : query).execute();
  const described = await describe(context, rows);
  const found = search === undefined ? described : filterCredentials(described, search);
  const createdAt = new Map(rows.map((row) => [row.id, row.created_at]));
  const { page, next_cursor } = toPage(found, limit, ({ id }) =>
    toTimeCursor({ at: createdAt.get(id) ?? 0, id }),
  );
  return { items: page, next_cursor };
}

async function describe({ app }: OrganizationContext, rows: readonly CredentialRow[]): Promise<Credential[]> {
  const scopes = await findScopes(
    app.db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toCredential(row, scopes.get(row.id) ?? []));
}
