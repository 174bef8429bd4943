import { sql } from 'kysely';
import type { Trx } from '#db/client.ts';
import { findContact } from '../queries.ts';
import type { InvoiceRow } from './follow-invoice.ts';

/**
 * How the recipient of a message gets to an invoice: on its page, which every member can open; by a link that opens
 * it alone, as the billing contact without an account; or by such a link since the organization was deleted.
 */
export type InvoiceAccess = 'page' | 'link' | 'link_after_deletion';

/**
 * Returns how an address gets to an invoice. Of an organization that exists, only its present billing contact gets
 * a link: an invoice is addressed to the contact of its month, who may have changed since.
 */
export async function findInvoiceAccess(
  trx: Trx,
  { organization_id, mode }: Pick<InvoiceRow, 'organization_id' | 'mode'>,
  detachedAt: number | null,
  email: string,
): Promise<InvoiceAccess> {
  if (detachedAt !== null) return 'link_after_deletion';
  const contact = await findContact(trx, { organizationId: organization_id, mode });
  if (contact?.email.toLowerCase() !== email.toLowerCase()) return 'page';
  const member = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.id')
    .where('memberships.organization_id', '=', organization_id)
    .where(({ ref }) => sql<boolean>`lower(${ref('users.email')}) = ${email.toLowerCase()}`)
    .limit(1)
    .executeTakeFirst();
  return member ? 'page' : 'link';
}
