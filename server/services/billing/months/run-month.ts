import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { issueInvoices } from '../invoices/issue-invoice.ts';
import { collectPayments } from '../payments/collect-payment.ts';
import { requirePayments } from '../require-payments.ts';
import type { billingMonthInput } from '../schema-for-operator.ts';
import { findBillingTerms } from './billing-terms.ts';
import { closeMonthOfAll } from './close-months.ts';
import { formatMonth, isMonthClosed } from './month-rules.ts';
import { requireMonth } from './require-month.ts';

/**
 * Bills a past month now, instead of waiting for the jobs; safe alongside them. Returns for how many
 * organizations it closed the month, and how many invoices were issued and attempted.
 * @throws operator_required, billing_off, invalid_input, month_open
 */
export async function runMonth(
  context: RequestContext,
  input: z.input<typeof billingMonthInput>,
): Promise<{ closed: number; issued: number; tried: number }> {
  requireOperator(context, 'manage');
  const month = requireMonth(input);
  const { app } = context;
  const { mode } = requirePayments(app);
  if (!isMonthClosed(month, app.clock.now())) throw new AppError('month_open', { month: formatMonth(month) });
  const terms = await findBillingTerms(app.db, mode);
  const closed = await closeMonthOfAll(app, month, terms);
  const issued = await issueInvoices(context);
  return { closed, issued, tried: await collectPayments(context) };
}
