import type { Bundle } from '#server/services/certificates/schema.ts';
import type { BadgeColour } from '../../components/row-badge.tsx';

/** What a list says about a certificate; the two readings of spec/console.md, section 4, only name it differently. */
export type BundleReading = 'none' | 'active' | 'validated' | 'pending';

/** Returns how far an endpoint's certificate is, as lists tell it: either record that stands counts as validated. */
export function readBundle(
  bundle: Pick<Bundle, 'issued_at' | 'dns_validated' | 'dns_challenge_validated'> | null,
): BundleReading {
  if (bundle === null) return 'none';
  if (bundle.issued_at !== null) return 'active';
  return bundle.dns_validated || bundle.dns_challenge_validated ? 'validated' : 'pending';
}

/** The colour of each reading. */
export const READING_COLOURS: Record<BundleReading, BadgeColour> = {
  none: 'gray',
  active: 'green',
  validated: 'lake',
  pending: 'yellow',
};
