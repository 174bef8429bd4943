import { type Expression, sql } from 'kysely';
import type { z } from 'zod';
import { containsFolded } from '#db/contains-folded.ts';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { containsPattern } from '../shared/contains-pattern.ts';
import { readTimeCursor, toPage, toTimeCursor } from '../shared/pages.ts';
import { selectPeople, toPersonForOperator } from './queries.ts';
import { listPeopleInput, type PersonForOperator } from './schema.ts';

/**
 * Returns a page of the people who have signed in or have an account here, newest first: those in a state,
 * and those whose name, login or address contains `search`, ignoring case and the accents of names.
 * @throws operator_required, invalid_input for an unknown cursor
 */
export async function listPeople(
  context: RequestContext,
  input: z.input<typeof listPeopleInput> = {},
): Promise<{ items: PersonForOperator[]; next_cursor: string | null }> {
  requireOperator(context, 'read');
  const { cursor, limit, search, state } = listPeopleInput.parse(input);
  let query = selectPeople(context.app.db);
  if (cursor) {
    const { at, id } = readTimeCursor(cursor);
    query = query.where(({ or, and, eb }) =>
      or([eb('created_at', '<', at), and([eb('created_at', '=', at), eb('id', '<', id)])]),
    );
  }
  if (state !== undefined) query = query.where('blocked_at', state === 'blocked' ? 'is not' : 'is', null);
  if (search) {
    const pattern = containsPattern(search.toLowerCase());
    const contains = (column: Expression<string>) =>
      sql<boolean>`lower(${column}) like ${pattern} escape '\\'`;
    query = query.where(({ or, ref }) =>
      or([
        contains(ref('login')),
        contains(ref('email')),
        containsFolded(context.app.db, ref('full_name'), search),
      ]),
    );
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const { page, next_cursor } = toPage(rows, limit, ({ created_at, id }) =>
    toTimeCursor({ at: created_at, id }),
  );
  return { items: page.map(toPersonForOperator), next_cursor };
}
