import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { toInstant } from '../../shared/schema.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { invoiceForOperatorInput } from '../schema-for-operator.ts';
import { findInvoiceForOperator } from './invoice-for-operator.ts';
import { createInvoiceLink } from './invoice-links.ts';

/**
 * Returns a link that opens an invoice without signing in, for an operator to open or to pass on.
 * @throws operator_required, billing_off, invoice_not_found
 */
export async function linkInvoice(
  context: RequestContext,
  input: z.input<typeof invoiceForOperatorInput>,
): Promise<{ link: string; expires_at: string }> {
  requireOperator(context, 'manage');
  const { invoice_id } = invoiceForOperatorInput.parse(input);
  const { app } = context;
  const row = await findInvoiceForOperator(app, invoice_id);
  return inUnitOfWork(context, async ({ trx, audit }) => {
    const { link, expiresAt } = await createInvoiceLink(trx, app, row);
    await audit({
      action: 'invoice.link',
      resource_type: 'invoice',
      resource_id: row.id,
      organization_id: row.organization_id,
    });
    return { link, expires_at: toInstant(expiresAt) };
  });
}
