import type { z } from 'zod';
import { invalidField } from '#server/errors.ts';
import { billingMonthInput } from '../schema-for-operator.ts';
import { type BillingMonth, parseMonth } from './month-rules.ts';

/**
 * Returns the month that an operator names.
 * @throws invalid_input
 */
export function requireMonth(input: z.input<typeof billingMonthInput>): BillingMonth {
  const month = parseMonth(billingMonthInput.parse(input).month);
  if (!month) throw invalidField('month', 'must be a month such as 2026-03');
  return month;
}
