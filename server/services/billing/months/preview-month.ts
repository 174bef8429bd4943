import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { findContact } from '../queries.ts';
import { requirePayments } from '../require-payments.ts';
import type { billingMonthInput } from '../schema-for-operator.ts';
import { heldStorage } from '../spending/held-storage.ts';
import { billedDays, findBillingTerms } from './billing-terms.ts';
import { monthEnd } from './month-rules.ts';
import { requireMonth } from './require-month.ts';
import { recomputeInvoice } from './snapshot.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { placeOf } from './tax-place.ts';
import { NOWHERE } from './tax-rules.ts';

/** What an organization would be billed for a month. */
export interface PreviewedInvoice {
  organization_id: string;
  name: string;
  subtotal_cents: number;
  total_cents: number;
  /** What would hold it; null when nothing would. */
  hold_reason: 'no_contact' | 'no_address' | null;
  /** Whether the month is already closed for the organization. */
  is_closed: boolean;
}

const READ_AT_ONCE = 200;

/**
 * Returns the invoices that a month would currently get, without changing anything, by the same calculation that
 * creates them.
 * @throws operator_required, billing_off, invalid_input
 */
export async function previewMonth(
  context: RequestContext,
  input: z.input<typeof billingMonthInput>,
): Promise<PreviewedInvoice[]> {
  requireOperator(context, 'read');
  const month = requireMonth(input);
  const { app } = context;
  const { mode } = requirePayments(app);
  const terms = await findBillingTerms(app.db, mode);
  const previewed: PreviewedInvoice[] = [];
  for (let after = ''; ; ) {
    const organizations = await app.db
      .selectFrom('organizations')
      .select(['id', 'name'])
      .where('id', '>', after)
      .where(({ or, exists, selectFrom }) =>
        or([
          exists(
            selectFrom('resource_lifetimes')
              .select('resource_lifetimes.resource_id')
              .whereRef('resource_lifetimes.organization_id', '=', 'organizations.id')
              .where('resource_lifetimes.started_at', '<', monthEnd(month)),
          ),
          heldStorage('organizations.id', billedDays(terms, month)),
        ]),
      )
      .orderBy('id')
      .limit(READ_AT_ONCE)
      .execute();
    for (const { id, name } of organizations) {
      const account = { organizationId: id, mode };
      const contact = await findContact(app.db, account);
      const place = placeOf(contact);
      const snapshot = await takeSnapshot(app.db, app, account, { month, terms });
      const { registrations } = app.config.billing;
      const figures = recomputeInvoice(month, snapshot, place ?? NOWHERE, registrations);
      if (figures.lines.every(({ amountCents, cutCents }) => amountCents === 0 && cutCents === 0)) continue;
      const closed = await app.db
        .selectFrom('billing_months')
        .select('year')
        .where('organization_id', '=', id)
        .where('mode', '=', mode)
        .where('year', '=', month.year)
        .where('month', '=', month.month)
        .executeTakeFirst();
      previewed.push({
        organization_id: id,
        name,
        subtotal_cents: figures.subtotalCents,
        total_cents: figures.totalCents,
        hold_reason: contact === null ? 'no_contact' : place === null ? 'no_address' : null,
        is_closed: closed !== undefined,
      });
    }
    const last = organizations.at(-1);
    if (organizations.length < READ_AT_ONCE || !last) return previewed;
    after = last.id;
  }
}
