import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Trx } from '#db/client.ts';
import type { App, RequestContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { AppError } from '#server/errors.ts';
import { newToken } from '#server/ids.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import type { Account } from '../queries.ts';
import { requirePayments } from '../require-payments.ts';
import type { InvoiceRow } from './follow-invoice.ts';

/** Longer than the time in which an unpaid invoice is charged again. */
const LASTS_MS = 90 * DAY_MS;
/** Links of one invoice that work at a time; each message about it has one. */
const LINKS_MAX = 20;

/**
 * Creates a link that opens an invoice for whoever has it, without signing in. Only its hash is stored, and its token is behind a
 * `#`: no server and no proxy sees it in an address. The oldest links beyond twenty of an invoice stop working.
 */
export async function createInvoiceLink(
  trx: Trx,
  app: App,
  { id: invoiceId, organization_id }: Pick<InvoiceRow, 'id' | 'organization_id'>,
): Promise<{ link: string; expiresAt: number }> {
  const now = app.clock.now();
  const token = newToken();
  await trx.deleteFrom('invoice_links').where('expires_at', '<=', now).execute();
  await trx
    .insertInto('invoice_links')
    .values({
      organization_id,
      token_hash: hashToken(token),
      invoice_id: invoiceId,
      created_at: now,
      expires_at: now + LASTS_MS,
    })
    .execute();
  await trx
    .deleteFrom('invoice_links')
    .where('invoice_id', '=', invoiceId)
    .where('token_hash', 'not in', (links) =>
      links
        .selectFrom('invoice_links as newest')
        .select('newest.token_hash')
        .where('newest.invoice_id', '=', invoiceId)
        .orderBy('newest.created_at', 'desc')
        // The one just made is kept among those of the same instant.
        .orderBy(sql`newest.token_hash = ${hashToken(token)}`, 'desc')
        .limit(LINKS_MAX),
    )
    .execute();
  return { link: `${app.config.publicUrl}/invoice#${token}`, expiresAt: now + LASTS_MS };
}

/** Makes the links to the invoices of an account stop working: they were sent to somebody who may no longer read them. */
export async function removeInvoiceLinks(trx: Trx, { organizationId, mode }: Account): Promise<void> {
  await trx
    .deleteFrom('invoice_links')
    .where('invoice_id', 'in', (links) =>
      links
        .selectFrom('invoices')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode),
    )
    .execute();
}

/** An invoice that was opened by a link. */
export interface LinkedRow {
  row: InvoiceRow;
  organizationName: string;
  expiresAt: number;
}

/**
 * Returns the invoice of a link.
 * @throws billing_off, too_many_requests; invoice_link_invalid for a link that is unknown or has expired, without distinction
 */
export async function requireLinkedInvoice(
  { app, address }: RequestContext,
  token: string,
): Promise<LinkedRow> {
  const { mode } = requirePayments(app);
  await app.rateLimits.consume('invoice_link_address', addressKey(address));
  const link = await app.db
    .selectFrom('invoice_links')
    .innerJoin('invoices', 'invoices.id', 'invoice_links.invoice_id')
    .innerJoin('organizations', 'organizations.id', 'invoices.organization_id')
    .select(['invoices.id', 'invoice_links.expires_at', 'organizations.name'])
    .where('token_hash', '=', hashToken(token))
    .where('invoice_links.expires_at', '>', app.clock.now())
    .where('invoices.mode', '=', mode)
    .executeTakeFirst();
  if (!link) throw new AppError('invoice_link_invalid');
  const row = await app.db
    .selectFrom('invoices')
    .selectAll()
    .where('id', '=', link.id)
    .executeTakeFirstOrThrow();
  return { row, organizationName: link.name, expiresAt: link.expires_at };
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
