import { createHash } from 'node:crypto';
import type { PayerProfile } from '#server/payments/payment-provider.ts';
import type { ContactRow } from '../queries.ts';

/** Returns the contact in the provider's format. If there is a company, the invoice is made out to it. */
export function toProfile(contact: ContactRow): PayerProfile {
  return {
    organizationId: contact.organization_id,
    name: contact.company ?? contact.name,
    email: contact.email,
    phone: contact.phone,
    address: {
      line1: contact.address_line1,
      line2: contact.address_line2,
      city: contact.city,
      province: contact.province,
      postalCode: contact.postal_code,
      country: contact.country,
    },
  };
}

/**
 * Returns the key with which a customer is created once. A key may not be used for a different request, and the contact may have
 * changed since a response was lost.
 * @param deletedId the customer that the new one replaces
 */
export function customerKey(profile: PayerProfile, deletedId: string | null = null): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([profile, deletedId]))
    .digest('hex')
    .slice(0, 32);
  return `customer:${profile.organizationId}:${hash}`;
}
