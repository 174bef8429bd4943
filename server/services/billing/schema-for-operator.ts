import { z } from 'zod';
import { lineSchema } from '../shared/schema.ts';
import { INVOICE_STATUSES } from './rules.ts';

/** By id or printed number. */
export const invoiceForOperatorInput = z.object({ invoice_id: lineSchema.min(1).max(100) });
export const creditInvoiceInput = invoiceForOperatorInput.extend({
  amount_cents: z.number().int().positive(),
  /** Printed on the credit note. */
  reason: lineSchema.min(1).max(200),
});
export const billingMonthInput = z.object({ month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/) });
export const listInvoicesForOperatorInput = z.object({
  status: z.enum(INVOICE_STATUSES).optional(),
  month: billingMonthInput.shape.month.optional(),
});
