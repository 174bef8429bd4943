import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { formatDay } from '../../usage/rules.ts';
import { readSnapshot } from '../months/snapshot.ts';
import { requireBillingRight } from '../require-payments.ts';
import { requireInvoice } from './get-invoice.ts';
import { type InvoiceUsage, invoiceInput } from './schema.ts';

/**
 * Returns what the lines of an invoice were made from: the sites and endpoints that were counted, what each served in its days, and
 * what buckets held. The sums are the quantities of the lines; usage that arrived later is in the usage pages and on the next invoice.
 * @throws billing_off, person_required, invoice_not_found
 */
export async function getInvoiceUsage(
  context: OrganizationContext,
  input: z.input<typeof invoiceInput>,
): Promise<InvoiceUsage> {
  const { account } = requireBillingRight(context, 'billing.read');
  const { invoice_id } = invoiceInput.parse(input);
  const { app } = context;
  const { billing_year, billing_month } = await requireInvoice(app.db, account, invoice_id);
  const month = await app.db
    .selectFrom('billing_months')
    .select('snapshot')
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .where('year', '=', billing_year)
    .where('month', '=', billing_month)
    .executeTakeFirst();
  if (!month) throw new AppError('invoice_not_found');
  const { start, end, resources, served, stored } = readSnapshot(month.snapshot);
  const names = new Map(resources.map((resource) => [resource.id, resource.name]));
  return {
    start_date: formatDay(start),
    end_date: formatDay(end - 1),
    resources,
    served: served.map(({ endpoint_id, site_id, bytes, requests }) => ({
      cdn_endpoint_id: endpoint_id,
      site_id,
      name: names.get(endpoint_id ?? site_id ?? '') ?? null,
      total_bytes_sent: Number(bytes),
      total_requests: Number(requests),
    })),
    stored: stored.map(({ byte_hours, ...bucket }) => ({ ...bucket, byte_hours: Number(byte_hours) })),
  };
}
