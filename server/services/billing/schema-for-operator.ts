import { z } from 'zod';
import { lineSchema } from '../shared/schema.ts';
import { INVOICE_STATUSES } from './rules.ts';

/** By id or printed number. */
export const invoiceForOperatorInput = z.object({ invoice_id: lineSchema.min(1).max(100) });
const reason = lineSchema.min(1).max(200);
export const creditInvoiceInput = invoiceForOperatorInput.extend({
  /** With its taxes; `all` is what is left. */
  amount_cents: z.union(
    [z.number().int().positive(), z.literal('all')],
    'must be dollars, such as 12.50, or all',
  ),
  /** Printed on the credit note. */
  reason,
  /** The same for people who read French. */
  reason_fr: reason.optional(),
});
export const billingMonthInput = z.object({
  month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month, such as 2026-03'),
});
export const listInvoicesForOperatorInput = z.object({
  status: z.enum(INVOICE_STATUSES).optional(),
  month: billingMonthInput.shape.month.optional(),
});
