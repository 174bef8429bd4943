import { type Expression, sql } from 'kysely';
import type { z } from 'zod';
import { containsFolded } from '#db/contains-folded.ts';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { containsPattern } from '../shared/contains-pattern.ts';
import { readIdCursor, toPage } from '../shared/pages.ts';
import { toOrganizationForOperator } from './queries.ts';
import { listOrganizationsForOperatorInput, type OrganizationForOperator } from './schema.ts';

/**
 * Returns a page of the installation's organizations, newest first: those in a state, and those whose name,
 * handle or external id, or a member's login or email address, contains `search`, ignoring case and the
 * accents of names. The cursor is the last id of the previous page.
 * @throws operator_required, invalid_input for an unknown cursor
 */
export async function listOrganizationsForOperator(
  context: RequestContext,
  input: z.input<typeof listOrganizationsForOperatorInput> = {},
): Promise<{ items: OrganizationForOperator[]; next_cursor: string | null }> {
  requireOperator(context, 'read');
  const { cursor, limit, search, state } = listOrganizationsForOperatorInput.parse(input);
  let query = context.app.db.selectFrom('organizations').selectAll();
  if (cursor !== undefined) query = query.where('id', '<', readIdCursor(cursor));
  if (state === 'suspended') query = query.where('suspended_at', 'is not', null);
  if (state === 'detached') query = query.where('detached_at', 'is not', null);
  if (state === 'active') query = query.where('suspended_at', 'is', null).where('detached_at', 'is', null);
  if (search) {
    const pattern = containsPattern(search.toLowerCase());
    query = query.where(({ exists, or, ref, selectFrom }) => {
      const contains = (column: Expression<string | null>) =>
        sql<boolean>`lower(${column}) like ${pattern} escape '\\'`;
      const member = selectFrom('memberships')
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .select('users.id')
        .whereRef('memberships.organization_id', '=', 'organizations.id')
        .where((eb) => eb.or([contains(eb.ref('users.login')), contains(eb.ref('users.email'))]));
      return or([
        containsFolded(context.app.db, ref('organizations.name'), search),
        contains(ref('organizations.handle')),
        contains(ref('organizations.external_id')),
        exists(member),
      ]);
    });
  }
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const { page, next_cursor } = toPage(rows, limit, ({ id }) => id);
  return { items: page.map(toOrganizationForOperator), next_cursor };
}
