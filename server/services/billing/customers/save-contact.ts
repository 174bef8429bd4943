import type { Trx } from '#db/client.ts';
import { removeInvoiceLinks } from '../invoices/invoice-links.ts';
import { toProvince } from '../months/tax-rules.ts';
import { type Account, type ContactRow, findContact } from '../queries.ts';

/** A contact as typed. */
export type TypedContact = Omit<
  ContactRow,
  'organization_id' | 'mode' | 'tax_ids' | 'last_language' | 'updated_at'
> & {
  tax_ids: Record<string, string>;
};

/**
 * Writes the contact and returns where it is. Canadian provinces and postal codes are normalized. With another
 * address for email, the links to invoices that the former one was sent stop working.
 */
export async function saveContact(
  trx: Trx,
  account: Account,
  typed: TypedContact,
  now: number,
): Promise<{ country: string | null; province: string | null }> {
  const known = await findContact(trx, account);
  if (known && known.email.toLowerCase() !== typed.email.toLowerCase())
    await removeInvoiceLinks(trx, account);
  const isCanadian = typed.country === 'CA';
  const values = {
    ...typed,
    province: isCanadian ? toProvince(typed.province ?? '') : typed.province,
    postal_code: isCanadian ? toPostalCode(typed.postal_code) : typed.postal_code,
    tax_ids: JSON.stringify(typed.tax_ids),
    updated_at: now,
  };
  await trx
    .insertInto('billing_contacts')
    .values({
      organization_id: account.organizationId,
      mode: account.mode,
      last_language: null,
      ...values,
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'mode']).doUpdateSet(values))
    .execute();
  return { country: values.country, province: values.province };
}

/** `h2x-1k4` becomes `H2X 1K4`. */
function toPostalCode(typed: string | null): string | null {
  const letters = (typed ?? '').replace(/[\s-]/g, '').toUpperCase();
  return letters === '' ? null : `${letters.slice(0, 3)} ${letters.slice(3)}`;
}
