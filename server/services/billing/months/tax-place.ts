import type { ContactRow } from '../queries.ts';
import { type TaxPlace, toProvince } from './tax-rules.ts';

/** Returns where a buyer is, or null without an address: no invoice can be made out then. */
export function placeOf(contact: Pick<ContactRow, 'address_line1' | 'city' | 'country' | 'province'> | null) {
  if (contact === null || contact.address_line1 === null || contact.city === null) return null;
  const province = contact.country === 'CA' ? toProvince(contact.province ?? '') : null;
  const isUnknown = contact.country === 'CA' && province === null;
  const place: TaxPlace = { country: contact.country, province };
  return isUnknown ? null : place;
}
