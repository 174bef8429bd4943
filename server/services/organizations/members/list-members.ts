import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { cursorUnknown, toPage } from '../../shared/pages.ts';
import { foldSiteName } from '../../sites/rules.ts';
import { requireOrganizationRight } from '../require-organization-right.ts';
import { isAllowed } from '../rules.ts';
import { listMembersInput, type Member } from '../schema.ts';
import { selectMembers, toMember } from './member-queries.ts';

/**
 * Returns a page of the organization's members, owners first, then by name ignoring case and accents; those
 * whose name, user name or, for those who see it, email address contains `search`. The cursor is the last member of the previous page.
 * @throws permission_required, person_required
 */
export async function listMembers(
  context: OrganizationContext,
  input: z.input<typeof listMembersInput>,
): Promise<{ items: Member[]; next_cursor: string | null }> {
  requireOrganizationRight(context, 'member.read');
  const { cursor, limit, search } = listMembersInput.parse(input);
  const { app, organization } = context;
  // Sorted here: the engines do not agree on accents, and there are at most thousands of members.
  const rows = await selectMembers(app.db, organization.id).execute();
  const wanted = foldSiteName(search ?? '');
  const seesEmails = isAllowed(organization.permission, 'member.invite');
  const sorted = rows
    .map((row) => ({ row, rank: row.permission === 'owner' ? 0 : 1, key: foldSiteName(row.full_name) }))
    .filter(
      ({ row: { login, email }, key }) =>
        key.includes(wanted) ||
        login.toLowerCase().includes(wanted) ||
        (seesEmails && isPartOfEmail(email.toLowerCase(), wanted)),
    )
    .sort((a, b) => a.rank - b.rank || compare(a.key, b.key) || compare(a.row.user_id, b.row.user_id));
  const start = cursor ? sorted.findIndex(({ row }) => row.user_id === cursor) + 1 : 0;
  if (cursor && start === 0) throw cursorUnknown();
  const { page, next_cursor } = toPage(sorted.slice(start), limit, ({ row }) => row.user_id);
  return { items: page.map(({ row }) => toMember(context, row)), next_cursor };
}

/** Without an @, an address is found by its beginning: most share a domain, which says nothing about a person. */
function isPartOfEmail(email: string, wanted: string): boolean {
  return wanted.includes('@') ? email.includes(wanted) : email.startsWith(wanted);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
