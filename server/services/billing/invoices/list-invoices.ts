import type { OrganizationContext } from '#server/context.ts';
import { requireBillingRight } from '../require-payments.ts';
import type { Invoice } from './schema.ts';
import { toInvoices } from './to-invoice.ts';

/** Ten years of months. */
const INVOICES_MAX = 120;

/**
 * Returns the invoices of the organization, newest first.
 * @throws billing_off, person_required
 */
export async function listInvoices(context: OrganizationContext): Promise<Invoice[]> {
  const { account } = requireBillingRight(context, 'billing.read');
  const { app } = context;
  const rows = await app.db
    .selectFrom('invoices')
    .selectAll()
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .orderBy('billing_year', 'desc')
    .orderBy('billing_month', 'desc')
    .limit(INVOICES_MAX)
    .execute();
  return toInvoices(app.db, app, rows);
}
