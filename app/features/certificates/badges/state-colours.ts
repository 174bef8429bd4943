import type { CertificateState } from '#server/services/certificates/rules.ts';
import type { BadgeColour } from '../../../components/lists/row-badge.tsx';

/** The colour of a certificate's state in lists. */
export const STATE_COLOURS: Record<CertificateState, BadgeColour> = {
  none: 'gray',
  active: 'green',
  validating: 'lake',
  pending: 'yellow',
};
